"""Tests that searches go on while nodes of replicas hang or end, and that replicas become equal again."""

import os
import signal
from collections.abc import Mapping, Sequence
from functools import partial

import pytest

from ingest.refill.refill import Fill, refill
from ingest.refill.tables import tables_of
from kit.clickhouse import connect
from schema.clickhouse.complete import unmark_complete
from schema.clickhouse.tables import table_name
from stack.doctor.compare import compare_replicas
from tests import otlp
from tests.api_client import Api
from tests.eventually import eventually
from tests.replicas.conftest import REPLICAS, SHARDS, WINDOW_NS
from tests.replicas.nodes import NODES, answers, is_unreachable
from tests.running_stack import Stack
from tests.spread_tenants import on_all_shards
from tests.stored_records import stored_on
from tests.tenants import TenantKeys, new_tenant

REQUESTS = 24
IN_EACH = 5


def send(stack: Stack, keys: TenantKeys, start_ns: int, requests: int) -> int:
    """Sends requests with several records each. Returns the number of records."""
    for request in range(requests):
        records = [otlp.record(f"number {each}", start_ns + request * 10**9 + each) for each in range(IN_EACH)]
        assert otlp.send(stack.otlp_http_url, keys.ingest, otlp.request(*records)).status_code == 200
    return requests * IN_EACH


@pytest.fixture(scope="module")
def sent(replicated: Stack, start_ns: int) -> Mapping[str, tuple[TenantKeys, int]]:
    """Returns a tenant on both shards, and one on each shard alone, with the number of records of each."""
    both = on_all_shards(replicated, "both")
    found = {"both": (both, send(replicated, both, start_ns, REQUESTS))}
    while len(found) < 3:
        alone = new_tenant(replicated, "alone")
        records = send(replicated, alone, start_ns, 1)
        with Api(replicated.api_url, alone.query) as api:
            api.wait_for_count(records, start_ns, start_ns + WINDOW_NS)
        shard = next(
            each for each in range(SHARDS) if any(stored_on(replicated, alone, each, n) for n in range(REPLICAS))
        )
        found[f"shard {shard}"] = alone, records
    with Api(replicated.api_url, both.query) as api:
        api.wait_for_count(found["both"][1], start_ns, start_ns + WINDOW_NS)
    return found


def search_all(stack: Stack, sent: Mapping[str, tuple[TenantKeys, int]], start_ns: int) -> None:
    """Searches once as each tenant. Fails unless every answer has all of its records."""
    for keys, records in sent.values():
        with Api(stack.api_url, keys.query) as api:
            page = api.ok("/logs/search", query="number", start=start_ns, end=start_ns + WINDOW_NS, limit=1000)
            assert len(page["logs"]) == records
            assert api.count("number", start_ns, start_ns + WINDOW_NS) == records


def has_loaded(stack: Stack, keys: TenantKeys, replica: int, records: int) -> bool:
    """Returns whether a replica's nodes have all records of a tenant. Fails if a node does not answer."""
    return sum(stored_on(stack, keys, shard, replica) for shard in range(SHARDS)) == records


def compared(stack: Stack) -> Sequence[str]:
    """Returns the level of each shard's comparison. Calls what `doctor --compare` calls, without starting a process."""
    return [str(each.level) for each in compare_replicas(stack.settings)]


def test_every_replica_gets_every_record(replicated: Stack, sent: Mapping[str, tuple[TenantKeys, int]]) -> None:
    for keys, records in sent.values():
        for replica in range(REPLICAS):
            is_loaded = partial(has_loaded, replicated, keys, replica, records)
            eventually(is_loaded, f"replica {replica} has all records")
    eventually(lambda: compared(replicated) == ["ok"] * SHARDS, "the replicas are equal", 60)


@pytest.mark.parametrize("node", NODES)
def test_no_search_fails_while_a_node_hangs(
    replicated: Stack, sent: Mapping[str, tuple[TenantKeys, int]], start_ns: int, node: str
) -> None:
    eventually(partial(answers, replicated, node), "the node answers")
    with replicated.hanging(node):
        search_all(replicated, sent, start_ns)
        eventually(partial(is_unreachable, replicated, node), "the node counts as unreachable")
        for _ in range(5):
            search_all(replicated, sent, start_ns)
    eventually(partial(answers, replicated, node), "the node answers again")
    search_all(replicated, sent, start_ns)


def test_pages_and_single_records_are_read_while_one_server_of_each_shard_answers(
    replicated: Stack, sent: Mapping[str, tuple[TenantKeys, int]], start_ns: int
) -> None:
    """Tests pages, cursors, records by id and contexts while no replica has all of its servers, so that shards are read
    from different ones."""
    keys, records = sent["both"]
    hung = [name for name, (shard, replica) in NODES.items() if shard == replica]
    for node in NODES:
        eventually(partial(answers, replicated, node), "the node answers")
    with replicated.hanging(hung[0]), replicated.hanging(hung[1]):
        for node in hung:
            eventually(partial(is_unreachable, replicated, node), "the node counts as unreachable")
        with Api(replicated.api_url, keys.query) as api:
            logs = list(api.pages("number", start_ns, start_ns + WINDOW_NS, limit=50))
            for log in logs[::IN_EACH]:
                assert api.ok(f"/logs/{log['id']}")["id"] == log["id"]
                assert api.ok(f"/logs/{log['id']}/context")["log"]["id"] == log["id"]
        assert len({log["id"] for log in logs}) == len(logs) == records
    for node in hung:
        eventually(partial(answers, replicated, node), "the node answers again")
    search_all(replicated, sent, start_ns)


@pytest.mark.parametrize("replica", range(REPLICAS))
def test_records_that_arrive_while_a_node_hangs_are_found_and_come_to_it_later(
    replicated: Stack, start_ns: int, replica: int
) -> None:
    node = next(name for name, place in NODES.items() if place == (1, replica))
    keys = on_all_shards(replicated, "late")
    eventually(partial(answers, replicated, node), "the node answers")
    with replicated.hanging(node):
        eventually(partial(is_unreachable, replicated, node), "the node counts as unreachable")
        with Api(replicated.api_url, keys.query) as api:
            # Chooses the replica that is read from now on while no loader has anything to catch up with. Otherwise,
            # searches fail for as long as a loader is late by more than five seconds.
            assert api.count("", start_ns, start_ns + WINDOW_NS) == 0
            records = send(replicated, keys, start_ns, REQUESTS)
            api.wait_for_count(records, start_ns, start_ns + WINDOW_NS)
    eventually(lambda: has_loaded(replicated, keys, replica, records), "the node has caught up", 60)
    with Api(replicated.api_url, keys.query) as api:
        assert api.count("number", start_ns, start_ns + WINDOW_NS) == records


def test_a_killed_node_catches_up_and_becomes_equal(
    replicated: Stack, sent: Mapping[str, tuple[TenantKeys, int]], start_ns: int
) -> None:
    keys = new_tenant(replicated, "killed")
    os.kill(replicated.pid("clickhouse-1"), signal.SIGKILL)
    # Chooses the replica that is read from now on while no loader has anything to catch up with.
    search_all(replicated, sent, start_ns)
    records = send(replicated, keys, start_ns, REQUESTS)
    with Api(replicated.api_url, keys.query) as api:
        api.wait_for_count(records, start_ns, start_ns + WINDOW_NS)
    search_all(replicated, sent, start_ns)
    # A comparison leaves out what one replica has not loaded yet, so it can succeed before the node has caught up.
    eventually(lambda: compared(replicated) == ["ok"] * SHARDS, "the node is up again", 90)
    eventually(lambda: has_loaded(replicated, keys, 0, records), "the node has caught up", 90)
    eventually(lambda: compared(replicated) == ["ok"] * SHARDS, "the replicas are equal", 60)


def test_a_replica_that_lost_its_rows_is_filled_from_another(
    replicated: Stack,
    sent: Mapping[str, tuple[TenantKeys, int]],
    start_ns: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    running = replicated.logsieve("replica", "fill", "1", "--from", "0")
    assert running.returncode == 1
    assert "loaders of replica" in " ".join(running.stderr.split())
    loaders = [replicated.pid(name) for name in ("loader", "loader-1")]
    for pid in loaders:
        os.kill(pid, signal.SIGSTOP)
    try:
        for shard in range(SHARDS):
            with connect(replicated.settings.of_replica(1), shard=shard) as client:
                for table in tables_of(client):
                    client.command(f"TRUNCATE TABLE {table}")
        # Kafka removes the loaders from their groups after ten seconds of silence.
        eventually(
            lambda: replicated.logsieve("replica", "fill", "1", "--from", "0").returncode == 0, "it is filled", 90
        )
        assert all(stored_on(replicated, sent["both"][0], shard, 1) for shard in range(SHARDS))
        search_all(replicated, sent, start_ns)
        for shard in range(SHARDS):
            # Another server of each shard loses its disk.
            with connect(replicated.settings.of_replica(shard), shard=shard) as client:
                unmark_complete(client)
                for table in tables_of(client):
                    client.command(f"TRUNCATE TABLE {table}")
        for shard, reason in ((1, "shard 1 of replica 1 may lack logs"), (SHARDS, f"there is no shard {SHARDS}")):
            refused = replicated.logsieve("replica", "fill", "0", "--from", "1", "--shard", str(shard))
            assert refused.returncode == 1
            assert reason in " ".join(refused.stderr.split())
        # The command has waited until no insert of the loaders can begin any more.
        monkeypatch.setattr("ingest.refill.refill.wait_for_inserts", lambda *_: None)
        for replica in range(REPLICAS):
            fill = Fill(replica, 1 - replica, shard=replica)
            assert refill(replicated.settings, fill, lambda *_: None, lambda _: None) > 0
        for node in NODES:
            eventually(partial(answers, replicated, node), "searches may read the server")
        search_all(replicated, sent, start_ns)
    finally:
        # A loader that stood still ends, and is started again.
        for pid in loaders:
            os.kill(pid, signal.SIGCONT)
    late = new_tenant(replicated, "late")
    records = send(replicated, late, start_ns, REQUESTS)
    for replica in range(REPLICAS):
        is_loaded = partial(has_loaded, replicated, late, replica, records)
        eventually(is_loaded, f"replica {replica} has what arrived later", 90)
    eventually(lambda: compared(replicated) == ["ok"] * SHARDS, "the replicas are equal", 60)
    search_all(replicated, sent, start_ns)


def test_a_replica_is_read_after_it_was_admitted(
    replicated: Stack, sent: Mapping[str, tuple[TenantKeys, int]], start_ns: int
) -> None:
    of_replica = [name for name, (_, replica) in NODES.items() if replica == 1]
    for shard in range(SHARDS):
        with connect(replicated.settings.of_replica(1), shard=shard) as client:
            unmark_complete(client)
    for node in of_replica:
        eventually(partial(is_unreachable, replicated, node), "searches do not read the replica")
    search_all(replicated, sent, start_ns)
    eventually(lambda: replicated.logsieve("replica", "admit", "1").returncode == 0, "it is admitted", 60)
    for node in of_replica:
        eventually(partial(answers, replicated, node), "searches may read the replica")


def test_a_difference_between_replicas_is_found(replicated: Stack, start_ns: int) -> None:
    keys = new_tenant(replicated, "differs")
    records = send(replicated, keys, start_ns, 1)
    shard = None
    while shard is None:
        shard = next((each for each in range(SHARDS) if stored_on(replicated, keys, each, 1) == records), None)
    with connect(replicated.settings.of_replica(1), shard=shard) as client:
        client.command(
            f"ALTER TABLE {table_name(keys.lane)} UPDATE body = 'changed'"
            f" WHERE tenant_id = {keys.id} AND body = 'number 0' SETTINGS mutations_sync = 1"
        )
    levels = ["ok", "ok"]
    levels[shard] = "fail"
    eventually(lambda: compared(replicated) == levels, "the difference is found", 60)
    done = replicated.logsieve("doctor", "--compare")
    assert done.returncode == 1
    assert "partitions differ" in " ".join(done.stdout.split())
    refused = replicated.logsieve("replica", "admit", "1")
    assert refused.returncode == 1
    assert "partitions differ" in " ".join(refused.stdout.split())
