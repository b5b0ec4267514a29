"""Tests of `logsieve doctor --profile` on a running stack."""

import json
import re
import threading
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from clickhouse_connect.driver.exceptions import Error

from kit.clickhouse import connect
from kit.profile.read_samples import Selection, read_snapshot
from kit.profile.record import choose_source
from kit.profile.stacks import Source
from tests.eventually import eventually
from tests.forked_module import run_module
from tests.running_stack import Stack, stack_environment

BUSY = "SELECT sum(cityHash64(number)) FROM numbers(1000000000000)"
ASLEEP = "SELECT sum(sleepEachRow(1)) FROM numbers(1000) SETTINGS function_sleep_max_microseconds_per_block = 0"


@contextmanager
def running(stack: Stack, sql: str) -> Iterator[str]:
    """Runs a statement during the block, and yields its query id."""
    query_id = f"profiled-{uuid4()}"

    def run() -> None:
        with connect(stack.settings) as client, pytest.raises(Error):
            client.query(sql, settings={"query_id": query_id, "max_threads": 2})

    thread = threading.Thread(target=run)
    thread.start()
    with connect(stack.settings) as client:
        try:
            selected = Selection(query_id=query_id)
            eventually(lambda: len(read_snapshot(client, selected).samples) > 1, "the statement has threads")
            yield query_id
        finally:
            client.command(f"KILL QUERY WHERE query_id = '{query_id}' SYNC")
            thread.join()


def profiled(stack: Stack, folder: Path, *options: str) -> dict[str, Any]:
    done = stack.logsieve("doctor", "--profile", "1s", "--out", str(folder), "--json", *options)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def sampled(stack: Stack, folder: Path, kind: str, *options: str) -> dict[str, Any]:
    """Returns the first profile with a sample of a kind.

    A thread that gets no core in time does not answer, so a short profile on a busy machine may have no sample.
    """
    found: dict[str, Any] = {}

    def has_samples() -> bool:
        found.update(profiled(stack, folder, *options))
        return bool(found["samples"][kind] > 0)

    eventually(has_samples, f"a profile has samples of {kind}")
    return found


def frames(svg: str) -> set[str]:
    return {each.attrib["data-frame"] for each in ET.parse(svg).getroot().iter() if "data-frame" in each.attrib}


def test_a_statement_that_computes_is_in_real_and_cpu(stack: Stack, tmp_path: Path) -> None:
    with running(stack, BUSY) as query_id:
        found = sampled(stack, tmp_path, "cpu", "--query-id", query_id)

    assert found["sources"] == ["system.stack_trace"]
    assert found["samples"]["real"] >= found["samples"]["cpu"] > 0
    assert [place for place in found["places"] if place["cpu"] > 0 and not place["waits_in"]]
    assert Path(found["svg"]).parent == tmp_path
    assert any("QueryPipelineEx" in name or "HTTPHandler" in name for name in frames(found["svg"]))
    assert any("CPU is estimated" in note for note in found["notes"])


def test_the_estimate_says_that_unnamed_waits_count_as_cpu(stack: Stack, tmp_path: Path) -> None:
    """The engine sleeps in a function of its own that has no name. Only functions of glibc are recognised."""
    with running(stack, ASLEEP) as query_id:
        found = sampled(stack, tmp_path, "real", "--query-id", query_id)

    assert any("in a function without a name" in note for note in found["notes"])


def test_the_table_has_shares_and_functions(stack: Stack, tmp_path: Path) -> None:
    with running(stack, ASLEEP) as query_id:
        options = ("--profile", "1s", "--out", str(tmp_path), "--query-id", query_id)

        def are_printed() -> bool:
            """Returns true if a row has both shares and a function. A profile on a busy machine may have no sample."""
            printed = stack.logsieve("doctor", *options).stdout
            return re.search(r"(?m)^ *\d+\.\d% +\d+\.\d% .*\w{6,}", printed) is not None

        eventually(are_printed, "a row of the table is printed")


@pytest.fixture
def lock_waiter(stack: Stack) -> Iterator[str]:
    """Yields the query id of a TRUNCATE that waits for the lock of a table, which a running insert holds."""
    table, query_id = f"held_{uuid4().hex}", f"profiled-{uuid4()}"
    waiting = Selection(query_id=query_id)

    def truncate() -> None:
        with connect(stack.settings) as client:
            client.command(f"TRUNCATE TABLE {table}", settings={"query_id": query_id, "lock_acquire_timeout": 600})

    with connect(stack.settings) as client:
        client.command(f"CREATE TABLE {table} (slept UInt64) ENGINE = Memory")
        thread = threading.Thread(target=truncate)
        with running(stack, f"INSERT INTO {table} {ASLEEP}"):
            thread.start()
            eventually(lambda: len(read_snapshot(client, waiting).samples) > 0, "the statement runs")
            yield query_id
        # A statement that waits for a lock cannot be killed. It ends because the insert that holds the lock has ended.
        thread.join()
        client.command(f"DROP TABLE {table} SYNC")


def test_a_statement_that_waits_for_a_lock_is_in_real_and_not_in_cpu(
    stack: Stack, tmp_path: Path, lock_waiter: str
) -> None:
    found: dict[str, Any] = {}

    def only_waits() -> bool:
        found.update(profiled(stack, tmp_path, "--query-id", lock_waiter))
        return bool(found["samples"]["real"] > 0 == found["samples"]["cpu"])

    eventually(only_waits, "a profile has the statement in Real and not in CPU")
    [place] = found["places"]
    assert "pthread_cond_" in place["waits_in"]
    assert (place["real"], place["cpu"], place["waits"]) == (1.0, 0.0, True)
    assert any("pthread_cond_" in name for name in frames(found["svg"]))


def test_filters_select_statements_and_threads(stack: Stack, tmp_path: Path) -> None:
    owner, searcher = stack.settings.clickhouse_user, stack.settings.clickhouse_query_user
    with running(stack, ASLEEP) as query_id:
        of_owner = sampled(stack, tmp_path, "real", "--query-id", query_id, "--user", owner)
        of_searcher = profiled(stack, tmp_path, "--query-id", query_id, "--user", searcher)
        of_handler = sampled(stack, tmp_path, "real", "--query-id", query_id, "--thread", "HTTPHandler")
        handler_frames = frames(of_handler["svg"])
        of_nobody = profiled(stack, tmp_path, "--query-id", query_id, "--thread", "NoSuchThread")

    assert of_owner["samples"]["real"] > 0
    assert of_handler["places"]
    assert any("HTTPHandler" in name for name in handler_frames)
    assert not any("QueryPipelineEx" in name for name in handler_frames)
    for found in (of_searcher, of_nobody):
        assert found["samples"] == {"real": 0, "cpu": 0}
        assert any("No thread ran" in note for note in found["notes"])


@pytest.fixture
def trace_log(stack: Stack) -> Iterator[Callable[[], None]]:
    """Makes the trace log, which the engine of the stack does not fill. Yields a function that adds samples of now."""
    with connect(stack.settings) as client:
        client.command("DROP TABLE IF EXISTS system.trace_log SYNC")  # A killed run leaves it on a kept stack.
        client.command(
            "CREATE TABLE system.trace_log (event_time_microseconds DateTime64(6),"
            " event_date Date DEFAULT toDate(event_time_microseconds), event_time DateTime DEFAULT"
            " toDateTime(event_time_microseconds), trace_type Enum8('Real' = 0, 'CPU' = 1, 'Memory' = 2),"
            " thread_id UInt64, thread_name LowCardinality(String), query_id String, trace Array(UInt64))"
            " ENGINE = MergeTree ORDER BY event_time_microseconds"
        )

        def add() -> None:
            with connect(stack.settings) as writer:
                writer.command(
                    "INSERT INTO system.trace_log (event_time_microseconds, trace_type, thread_name, query_id, trace)"
                    " SELECT now64(6), row.1, 'HTTPHandler', row.2, arrayMap(last -> toUInt64(-last), row.3)"
                    " FROM (SELECT arrayJoin([('Real', 'logged', [15, 14]), ('Real', 'logged', [13, 14]),"
                    " ('CPU', 'logged', [13, 14]), ('Memory', 'logged', [12]), ('Real', 'other', [12])]) AS row)"
                )

        yield add
        client.command("DROP TABLE system.trace_log SYNC")


def test_a_trace_log_that_is_filled_is_preferred(stack: Stack, tmp_path: Path, trace_log: Callable[[], None]) -> None:
    with connect(stack.settings) as client:
        assert choose_source(client) is Source.stack_trace, "an empty log says that the server does not sample"
    ended = threading.Event()

    def add_until_ended() -> None:
        while not ended.wait(0.05):
            trace_log()

    trace_log()
    writer = threading.Thread(target=add_until_ended)
    writer.start()
    try:
        found = profiled(stack, tmp_path, "--query-id", "logged")
    finally:
        ended.set()
        writer.join()

    assert found["sources"] == ["system.trace_log"]
    assert found["samples"]["real"] == 2 * found["samples"]["cpu"] > 0
    by_frame = {place["frame"]: place for place in found["places"]}
    waiting, working = (by_frame[hex(2**64 - last)] for last in (15, 13))
    assert (waiting["real"], waiting["cpu"], waiting["waits"]) == (0.5, 0.0, True)
    assert (working["real"], working["cpu"], working["waits"]) == (0.5, 1.0, False)
    assert len(by_frame) == 2, "samples of memory and of other statements are left out"
    assert any("shown as addresses" in note for note in found["notes"])


def test_a_user_without_rights_is_told_what_to_grant(stack: Stack, tmp_path: Path) -> None:
    settings = stack.settings
    user = {
        "LOGSIEVE_CLICKHOUSE_USER": settings.clickhouse_query_user,
        "LOGSIEVE_CLICKHOUSE_PASSWORD": settings.clickhouse_query_secret,
    }
    environment = stack_environment(stack.home, settings.port_offset, user)
    done = run_module(("stack", "doctor", "--profile", "1s", "--out", str(tmp_path)), environment, 120)

    assert done.returncode == 1
    assert done.stderr.startswith("forbidden: ")
    assert "GRANT SELECT ON system.stack_trace" in done.stderr
    assert list(tmp_path.iterdir()) == []
