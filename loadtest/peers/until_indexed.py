"""Asks Logsieve for counts until its loader has built the index on searched words for all records."""

import itertools
import time
from collections.abc import Callable, Sequence
from typing import Final

from clickhouse_connect.driver.client import Client

from ingest.word_index.builds import read_builds
from ingest.word_index.lacking import rows_without_index
from ingest.word_index.searches import TablePartition
from kit.clock import Clock
from kit.errors import Unavailable
from loadtest.bench import Bench
from loadtest.peers.idle import wait_until_settled
from loadtest.peers.logsieve import Logsieve
from loadtest.peers.questions import Kind, Question
from loadtest.peers.searched import IndexBuild
from loadtest.process_stat import cpu_seconds
from schema.clickhouse.tables import table_name

_LONGEST_SECONDS: Final = 3_600.0
_POLL_SECONDS: Final = 0.5
_BUILDS: Final = (
    "SELECT sum(ProfileEvents['OSCPUVirtualTimeMicroseconds']) / 1e6, max(peak_memory_usage) FROM system.part_log"
    " WHERE event_type = 'MutatePart' AND database = currentDatabase() AND table = {table:String}"
    " AND hasAny(mutation_ids, {ids:Array(String)})"
)


def build_by_searches(
    bench: Bench, side: Logsieve, questions: Sequence[Question], pause: Callable[[float], None] = time.sleep
) -> IndexBuild:
    """Sends the counts among the questions, again and again, until the index is built for all records. Sends none while
    a build runs. Returns what it took.

    Raises Unavailable if the index is not built after an hour.
    """
    counts = [each for each in questions if each.kind is not Kind.page]
    table = table_name(side.sender.lane)
    deadline = bench.clock.monotonic() + _LONGEST_SECONDS
    before = cpu_seconds(side.pids)["clickhouse"]
    asked = 0
    for question in itertools.cycle(counts):
        _wait_for_builds(side.client, bench.clock, deadline, pause)
        if not _rows_without_index(side.client, table):
            break
        side.fetch(question)
        asked += 1
    wait_until_settled(side, side.corpus.records, bench.clock)
    used = cpu_seconds(side.pids)["clickhouse"] - before
    build, peak = _build_cost(side.client, table)
    return IndexBuild(
        searches=asked,
        search_cpu_seconds=max(0.0, used - build),
        build_cpu_seconds=build,
        build_peak_bytes=peak,
        disk_bytes=side.disk(),
    )


def _wait_for_builds(client: Client, clock: Clock, deadline: float, pause: Callable[[float], None]) -> None:
    while not all(build.is_done for build in read_builds(client)):
        _check(clock, deadline)
        pause(_POLL_SECONDS)
    _check(clock, deadline)


def _check(clock: Clock, deadline: float) -> None:
    if clock.monotonic() > deadline:
        raise Unavailable(f"the index on searched words was not built within {_LONGEST_SECONDS:g} s")


def _rows_without_index(client: Client, table: str) -> int:
    ids = client.query(
        "SELECT DISTINCT partition_id FROM system.parts WHERE active AND database = currentDatabase()"
        " AND table = {table:String}",
        parameters={"table": table},
    ).result_rows
    return sum(rows_without_index(client, TablePartition(table, str(each))) for (each,) in ids)


def _build_cost(client: Client, table: str) -> tuple[float, int]:
    """Returns the CPU seconds of all builds, and the largest memory of the build of a part, in bytes."""
    client.command("SYSTEM FLUSH LOGS part_log")
    ids = [build.mutation for build in read_builds(client)]
    [(seconds, peak)] = client.query(_BUILDS, parameters={"table": table, "ids": ids}).result_rows
    return float(seconds), int(peak)
