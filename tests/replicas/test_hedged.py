"""Tests that a late statement is also sent to another replica, and that the slower of the two statements is stopped."""

import asyncio
import re
from collections.abc import Mapping
from functools import partial

from backend.store.execute import Executor
from backend.store.replicas.hedge import MIN_RECENT, Hedging
from backend.store.replicas.watched import WatchedReplicas, running
from backend.store.statement import SystemStatement, only_value
from kit.clickhouse import connect
from kit.clock import SystemClock
from kit.errors import Unavailable
from kit.metrics import HEDGED
from kit.topology import Place
from stack.clickhouse.node import node
from tests import otlp
from tests.api_client import Api
from tests.eventually import eventually
from tests.replicas.conftest import WINDOW_NS
from tests.replicas.nodes import NODES, answers
from tests.running_stack import Stack
from tests.spread_tenants import on_all_shards

SLEEPS = 2_000
"""Number of rows of the statement, which sleeps 50 ms for each row: in total much longer than a search may take."""


def hedged(stack: Stack) -> Mapping[str, int]:
    """Returns the number of statements that were sent twice, for each replica that answered first."""
    with Api(stack.api_url.removesuffix("/api/v1"), None) as api:
        shown = api.get("/metrics").text
    found = re.findall(rf'^{HEDGED.prometheus_name}{{.*answered="(\w+)".*}} (\S+)$', shown, re.MULTILINE)
    return {answered: int(float(value)) for answered, value in found}


def test_the_other_replica_answers_before_a_stopped_server_counts_as_unreachable(
    replicated: Stack, start_ns: int
) -> None:
    keys = on_all_shards(replicated, "hedged")
    record = otlp.record("number 1", start_ns)
    assert otlp.send(replicated.otlp_http_url, keys.ingest, otlp.request(record)).status_code == 200
    with Api(replicated.api_url, keys.query) as api:
        api.wait_for_count(1, start_ns, start_ns + WINDOW_NS)

        def search() -> None:
            page = api.ok("/logs/search", query="number", start=start_ns, end=start_ns + WINDOW_NS)
            assert len(page["logs"]) == 1

        for _ in range(MIN_RECENT):
            search()
        before = hedged(replicated).get("second", 0)

        def is_hedged() -> bool:
            for service in NODES:
                eventually(partial(answers, replicated, service), "the node answers")
                with replicated.hanging(service):
                    search()
            return hedged(replicated).get("second", 0) > before

        eventually(is_hedged, "a second replica answers while one of the nodes hangs", 60)


def slow_on(stack: Stack, replica: int) -> SystemStatement[int]:
    """Returns a statement over shard 0. On this replica it takes longer than a search may take; on another one it ends
    immediately."""
    seconds = f"if(tcpPort() = {node(stack.settings, Place(0, replica)).native_port}, 0.05, 0)"
    return SystemStatement(
        f"sum(sleepEachRow({seconds}))", only_value, rest=f"FROM numbers({SLEEPS})", settings={"max_block_size": 1}
    )


def sleeping(stack: Stack, replica: int) -> int:
    """Returns how many statements of `slow_on` run on a replica of shard 0."""
    with connect(stack.settings.of_replica(replica)) as client:
        running_now = client.query("SELECT count() FROM system.processes WHERE query LIKE 'SELECT sum(sleepEachRow%'")
    return int(running_now.result_rows[0][0])


def test_the_slower_statement_is_stopped(replicated: Stack) -> None:
    quick = SystemStatement("1", only_value)
    slow: list[int] = []

    async def search() -> bool:
        watched = WatchedReplicas(replicated.settings, SystemClock())
        async with running(watched):
            executor = Executor(replicated.settings, replicas=watched, hedging=Hedging(100, SystemClock()))
            try:
                for _ in range(MIN_RECENT):
                    await executor.run(quick)
                in_use = watched.in_use(0)
                assert in_use is not None
                if await watched.second((0,), in_use) is None:  # has not answered yet, or too late
                    return False
                slow.append(in_use)
                assert (await executor.run(slow_on(replicated, in_use))).rows == [0]
                return True
            finally:
                await executor.close()

    def is_answered() -> bool:
        try:
            return asyncio.run(search())
        except Unavailable:  # on a busy machine, both servers may answer too late to count as reachable
            return False

    for service in NODES:
        eventually(partial(answers, replicated, service), "the node answers")
    eventually(is_answered, "a replica answers")
    eventually(lambda: not sleeping(replicated, slow[-1]), "the slower statement has ended", 10)
