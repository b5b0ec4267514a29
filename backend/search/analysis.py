"""Reads a page like a search, and reports the work of each of its statements from ClickHouse's query_log."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from backend.search.explanation import IndexSizes, index_uses
from backend.search.schemas import Analysis, IndexUse, StatementAnalysis
from backend.store.execute import Executor
from backend.store.plans.choose import PagePlan
from backend.store.plans.reader import PageReader
from backend.store.query import Query
from backend.store.runs import Ran, Recorder
from backend.store.select_work import Work, select_work
from backend.store.together import all_of
from backend.times import format_time
from kit.clock import Clock
from kit.errors import Internal, Unavailable

LOGGED_SECONDS: Final = 12.0
"""Longest wait for ClickHouse to write query_log, in seconds.

The nodes that `up` starts write it every 2 s. ClickHouse's default is 7.5 s.
"""

POLL_SECONDS: Final = 0.5

NOT_ALLOWED: Final = (
    "the user of searches cannot read system.query_log, which has CPU, memory, granules and files: docs/search.md says "
    "how to allow it"
)
NOT_WRITTEN: Final = (
    f"ClickHouse's query_log did not have all statements within {LOGGED_SECONDS:g} s: explain again. If ClickHouse "
    "writes it later, set a shorter flush_interval_milliseconds for query_log. If a second replica answered a late "
    "statement, only that replica's query_log has it, and it is not read"
)


class Analyzer:
    def __init__(self, reader: PageReader, executor: Executor, clock: Clock) -> None:
        self._reader = reader
        self._executor = executor
        self._clock = clock

    async def analyze(self, query: Query, plan: PagePlan, sizes: IndexSizes) -> Analysis:
        """Reads the page and returns the work of each of its statements.

        `sizes` has the bytes of indexes. Raises what Executor.run raises, so that a page that is too expensive to read
        is too expensive to analyze.
        """
        recorder = Recorder(self._executor, self._clock)
        started = self._clock.monotonic()
        page = await self._reader.page(query, plan, recorder)
        elapsed_ms = 1_000 * (self._clock.monotonic() - started)
        indexes = [await index_uses(self._executor, [ran.statement], sizes) for ran in recorder.ran]
        work, unknown = await self._work(query.scope.tenant_id, recorder.ran)
        return Analysis(
            elapsed_ms=elapsed_ms,
            logs=len(page.records),
            statements=[
                _statement(ran, work.get(ran.query_id), used) for ran, used in zip(recorder.ran, indexes, strict=True)
            ],
            unknown=unknown,
        )

    async def _work(self, tenant_id: int, statements: Sequence[Ran]) -> tuple[Mapping[str, Work], str | None]:
        """Returns the work of statements by their name in query_log, and the reason why it is not known for some.

        Reads the shards at the same time, so that a shard that does not answer leaves out only its own statements.
        Raises what Executor.run raises, except Internal and Unavailable.
        """
        names: dict[int, list[str]] = {}
        for ran in statements:
            names.setdefault(ran.shard, []).append(ran.query_id)
        found: dict[str, Work] = {}

        async def read(shard: int, query_ids: Sequence[str]) -> None:
            while True:
                # A server whose query_log was never written does not have this table yet.
                with suppress(Unavailable):
                    logged = await self._executor.run(select_work(query_ids, tenant_id, shard))
                    found.update((work.query_id, work) for work in logged.rows)
                if found.keys() >= set(query_ids):
                    return
                await asyncio.sleep(POLL_SECONDS)

        try:
            # The time is bounded and not the number of attempts, because each may wait for seconds while ClickHouse is
            # unreachable.
            async with asyncio.timeout(LOGGED_SECONDS):
                await all_of(read(shard, query_ids) for shard, query_ids in names.items())
            return found, None
        except TimeoutError:
            return found, NOT_WRITTEN
        except Internal:
            return found, NOT_ALLOWED


def _statement(ran: Ran, work: Work | None, indexes: list[IndexUse]) -> StatementAnalysis:
    window, reads = ran.statement.scope.time_range, ran.statement.reads
    assert reads is not None, "a page is read by statements that say what they read"
    return StatementAnalysis(
        shard=ran.shard,
        reads=reads,
        start=format_time(window.start_ns),
        end=format_time(window.end_ns),
        rows=ran.rows,
        elapsed_ms=ran.cost.elapsed_ms,
        answered_ms=ran.answered_ms,
        rows_read=ran.cost.rows_read,
        bytes_read=ran.cost.bytes_read,
        cpu_ms=None if work is None else work.cpu_us / 1_000,
        memory_bytes=None if work is None else work.memory_bytes,
        marks_total=None if work is None else work.marks_total,
        marks_read=None if work is None else work.marks_read,
        files_opened=None if work is None else work.files_opened,
        indexes=indexes,
    )
