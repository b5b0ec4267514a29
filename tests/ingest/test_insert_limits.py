"""Tests of inserts that need too much memory or hang.

Only the message that needs too much becomes a dead letter, and only the rows of the hanging lane wait.
"""

import json
import signal
import time
from typing import Any
from urllib.parse import urlsplit

import pytest

from schema.envelope import Envelope
from schema.usage import TABLE as USAGE_TABLE
from tests.forked_module import run_module
from tests.ingest.holding_proxy import HoldingProxy
from tests.ingest.pipeline import TENANTS, Pipeline
from tests.ingest.requests import request_of

GUILTY = TENANTS + 2
"""Tenant of the message that needs too much memory. With four lanes, it shares its lane only with tenant 4."""

MEMORY = str(96 * 2**20)
GUILTY_RECORDS = 12_000
GUILTY_RESOURCE = 4_000
"""Bytes of a resource attribute, which is stored in each row.

The message itself is small enough for Kafka. Its rows take half of MEMORY when they are read, and more when they are
sorted.
"""


def send_guilty(pipeline: Pipeline) -> None:
    now = time.time_ns()
    request = request_of(*(now,) * GUILTY_RECORDS)
    attribute = request.resource_logs[0].resource.attributes.add()
    attribute.key, attribute.value.string_value = "long", "x" * GUILTY_RESOURCE
    envelope = Envelope(GUILTY, GUILTY % pipeline.settings.lanes, "r30", 4096, now)
    pipeline.send_raw(request.SerializeToString(), envelope.headers(), partition=0)


def send_guilty_among_innocents(pipeline: Pipeline) -> None:
    pipeline.send(messages=12, partition=0)
    send_guilty(pipeline)
    pipeline.send(messages=12, partition=0)
    pipeline.send(messages=6, partition=1)


def listed(pipeline: Pipeline) -> list[dict[str, Any]]:
    done = run_module(("stack", "dead", "list", "--json"), pipeline.environment, 60)
    assert done.returncode == 0, done.stderr
    dead_letters: list[dict[str, Any]] = json.loads(done.stdout)
    return dead_letters


def check_only_the_guilty_is_dead(pipeline: Pipeline) -> None:
    pipeline.check_rows_exactly_once()
    pipeline.wait(lambda: pipeline.committed(0) == 25, "the batch is past")
    places = {(each["origin"]["partition"], each["origin"]["offset"], each["code"]) for each in listed(pipeline)}
    assert places == {(0, 12, "insert_limit")}
    assert usage(pipeline) == [(pipeline.sent.total(), 0)]


def usage(pipeline: Pipeline) -> list[tuple[int, int]]:
    """Returns the numbers of counted records of all tenants, and of requests of the guilty one."""
    return pipeline.query(f"SELECT sum(records), sumIf(requests, tenant_id = {GUILTY}) FROM {USAGE_TABLE}")


def test_only_a_message_that_costs_too_much_is_a_dead_letter_and_its_replay_counts_once(pipeline: Pipeline) -> None:
    send_guilty_among_innocents(pipeline)
    loader = pipeline.start_loader(LOGSIEVE_INSERT_MAX_MEMORY=MEMORY)
    check_only_the_guilty_is_dead(pipeline)
    assert loader.poll() is None
    loader.terminate()
    assert loader.wait(30) == 0

    done = run_module(("stack", "dead", "replay", "--all"), pipeline.environment, 60)
    assert done.returncode == 0, done.stderr
    pipeline.sent[GUILTY] = GUILTY_RECORDS
    pipeline.start_loader()
    pipeline.wait_until_stored()
    pipeline.wait(lambda: usage(pipeline) != [(pipeline.sent.total() - GUILTY_RECORDS, 0)], "the replay is counted")
    assert pipeline.stored() == pipeline.sent
    assert usage(pipeline) == [(pipeline.sent.total(), 1)]


@pytest.mark.parametrize("point", ["before_first_part", "after_first_part", "after_dead_letter"])
def test_a_loader_killed_while_it_splits_loses_and_doubles_nothing(pipeline: Pipeline, point: str) -> None:
    send_guilty_among_innocents(pipeline)
    dying = pipeline.start_loader("tests.faults.dying_splitter", point, LOGSIEVE_INSERT_MAX_MEMORY=MEMORY)
    assert dying.wait(120) == -signal.SIGKILL, pipeline.last_lines()
    pipeline.start_loader("tests.faults.dying_splitter", "nowhere", LOGSIEVE_INSERT_MAX_MEMORY=MEMORY)
    check_only_the_guilty_is_dead(pipeline)


def test_a_lane_that_hangs_keeps_only_its_own_rows_back(pipeline: Pipeline) -> None:
    lanes, url = pipeline.settings.lanes, urlsplit(pipeline.settings.clickhouse_http_url)
    hanging = 0
    waiting = [tenant for tenant in range(1, TENANTS + 1) if tenant % lanes == hanging]
    for partition in range(4):
        pipeline.send(messages=TENANTS, partition=partition)
    with HoldingProxy((url.hostname or "", url.port or 0), b"%60logs_0%60") as proxy:
        loader = pipeline.start_loader(LOGSIEVE_CLICKHOUSE_URL=proxy.url, LOGSIEVE_INSERT_MAX_SECONDS="2")
        others = {tenant: count for tenant, count in pipeline.sent.items() if tenant not in waiting}
        pipeline.wait(lambda: pipeline.stored() == others, "the other lanes of all partitions are in")
        assert proxy.held
        # The loader ends the hanging connection and retries by itself.
        pipeline.wait(
            lambda: "batch is not delivered yet" in pipeline.log_file(0).read_text(), "the loader gives up waiting"
        )
        proxy.release()
        pipeline.check_exactly_once()
        assert loader.poll() is None
        loader.terminate()
        assert loader.wait(30) == 0
