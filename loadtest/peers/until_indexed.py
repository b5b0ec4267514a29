"""Asks Logsieve for counts until its loader has built the index on searched words for all records."""

import itertools
import time
from typing import Final

from clickhouse_connect.driver.client import Client

from ingest.word_index.builds import read_builds
from ingest.word_index.lacking import rows_without_index
from ingest.word_index.searches import TablePartition
from kit.clock import Clock
from kit.errors import Unavailable
from loadtest.peers.idle import wait_until_settled
from loadtest.peers.logsieve import Logsieve
from loadtest.peers.questions import Kind, read_questions
from loadtest.peers.study import IndexBuild
from loadtest.process_stat import cpu_seconds

_LONGEST_SECONDS: Final = 3_600.0
_POLL_SECONDS: Final = 0.5
_BUILDS: Final = (
    "SELECT sum(ProfileEvents['OSCPUVirtualTimeMicroseconds']) / 1e6, max(peak_memory_usage) FROM system.part_log"
    " WHERE event_type = 'MutatePart' AND database = currentDatabase() AND table = {table:String}"
    " AND hasAny(mutation_ids, {ids:Array(String)})"
)


def build_by_searches(side: Logsieve, clock: Clock) -> IndexBuild:
    """Sends the counts among the questions, again and again, until the index is built for all records. Sends no
    count while a build runs. Returns the cost of the counts and of the builds.

    Raises Unavailable if the index is not built after an hour.
    """
    before = cpu_seconds(side.pids)["clickhouse"]
    asked = _count_until_indexed(side, clock)
    wait_until_settled(side, side.corpus.records, clock)
    used = cpu_seconds(side.pids)["clickhouse"] - before
    side.client.command("SYSTEM FLUSH LOGS part_log")
    ids = [build.mutation for build in read_builds(side.client)]
    [(seconds, peak)] = side.client.query(_BUILDS, parameters={"table": side.table, "ids": ids}).result_rows
    return IndexBuild(
        searches=asked,
        search_cpu_seconds=max(0.0, used - float(seconds)),
        build_cpu_seconds=float(seconds),
        build_peak_bytes=int(peak),
        disk_bytes=side.disk(),
    )


def _count_until_indexed(side: Logsieve, clock: Clock) -> int:
    """Returns the number of counts that were sent."""
    counts = itertools.cycle(each for each in read_questions() if each.kind is not Kind.page)
    deadline, asked = clock.monotonic() + _LONGEST_SECONDS, 0
    while clock.monotonic() <= deadline:
        if not all(build.is_done for build in read_builds(side.client)):
            time.sleep(_POLL_SECONDS)
        elif _rows_without_index(side.client, side.table):
            side.fetch(next(counts))
            asked += 1
        else:
            return asked
    raise Unavailable(f"the index on searched words was not built within {_LONGEST_SECONDS:g} s")


def _rows_without_index(client: Client, table: str) -> int:
    ids = client.query(
        "SELECT DISTINCT partition_id FROM system.parts WHERE active AND database = currentDatabase()"
        " AND table = {table:String}",
        parameters={"table": table},
    ).result_rows
    return sum(rows_without_index(client, TablePartition(table, str(each))) for (each,) in ids)
