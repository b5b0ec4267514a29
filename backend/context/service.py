"""Finds the records around one record."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from backend.answer_budget import AnswerBudget
from backend.context.sameness import Same, sharing
from backend.logs.log_json import encode_log, pieces, written
from backend.logs.records import to_log
from backend.logs.schemas import Stats
from backend.store.compile.filter import Filter, compile_filter
from backend.store.execute import Answer, Executor, Row
from backend.store.get_record import get_record
from backend.store.order import Order
from backend.store.plans.plan import Plan
from backend.store.record_id import RecordId, parse_record_id
from backend.store.scope import TimeRange, scope_of, whole_retention
from backend.store.scroll import ScrollReader
from backend.store.windows import far_edge
from backend.times import format_time
from kit.clock import Clock
from kit.settings import Settings
from schema.control.directory import Tenant

SIDE_ROWS: Final = 2_000_000
"""Rows that ClickHouse may read for one side before the search for a rare neighbour is given up."""


@dataclass(frozen=True, slots=True)
class Side:
    """The neighbours on one side, nearest first; `reached_ns` is how far they were looked for."""

    rows: Sequence[Row]
    is_complete: bool
    reached_ns: int
    answers: Sequence[Answer]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A record's row and its neighbours on both sides."""

    row: Row
    older: Side
    newer: Side

    async def encoded(self) -> list[bytes]:
        """Pieces of the JSON of schemas.Context."""
        answers = [*self.older.answers, *self.newer.answers]
        rest = {
            "complete_before": self.older.is_complete,
            "complete_after": self.newer.is_complete,
            "searched_from": format_time(self.older.reached_ns),
            "searched_to": format_time(self.newer.reached_ns),
            "stats": _stats(answers).model_dump(),
        }

        def write() -> list[bytes]:
            before, after = ([encode_log(row) for row in rows] for rows in (self.older.rows[::-1], self.newer.rows))
            return pieces(
                (
                    b'{"before":[' + b",".join(before),
                    b'],"log":' + encode_log(self.row),
                    b',"after":[' + b",".join(after),
                    b"]," + orjson.dumps(rest)[1:],
                )
            )

        return await written(write)


class ContextService:
    def __init__(
        self, settings: Settings, executor: Executor, clock: Clock, answers: AnswerBudget | None = None
    ) -> None:
        self._settings = settings
        self._executor = executor
        self._reader = ScrollReader(executor)
        self._clock = clock
        self.answers = answers or AnswerBudget(settings.query_max_unread_bytes)
        """Counts the bytes of answers that clients have not read yet."""

    async def around(self, tenant: Tenant, record: str, before: int, after: int, same: Iterable[Same]) -> Surroundings:
        """The record with up to `before` older and `after` newer ones that share its `same` values.

        Raises NotFound for an id the tenant has no record of, InvalidRequest where the record lacks one of the
        fields, and what Executor.run raises.
        """
        row = await get_record(self._executor, tenant, record, self._settings.shards)
        place, matching = parse_record_id(record), compile_filter(sharing(to_log(row), same))
        older, newer = await asyncio.gather(
            self._side(tenant, place, matching, Order.desc, before),
            self._side(tenant, place, matching, Order.asc, after),
        )
        return Surroundings(row, older, newer)

    async def _side(self, tenant: Tenant, place: RecordId, matching: Filter, order: Order, count: int) -> Side:
        within = self._beyond(tenant, place, order)
        if count == 0 or within is None:
            return Side((), True, place.timestamp_ns, ())
        rows: list[Row] = []
        answers: list[Answer] = []
        reached_ns = place.timestamp_ns
        async for step in self._reader.read(
            scope_of(tenant, within, self._settings.shards), matching, order, count, place
        ):
            rows += step.answer.rows
            answers.append(step.answer)
            reached_ns = far_edge(step.window, order)
            if len(rows) >= count:
                return Side(rows[:count], True, rows[count - 1][0], answers)
            if sum(answer.rows_read for answer in answers) >= SIDE_ROWS:
                at_the_end = reached_ns in (within.start_ns, within.end_ns)
                return Side(rows, at_the_end, reached_ns, answers)
        return Side(rows, True, reached_ns, answers)

    def _beyond(self, tenant: Tenant, place: RecordId, order: Order) -> TimeRange | None:
        """Where the side's records can be, with those of the record's own nanosecond; None where nothing is kept."""
        everything = whole_retention(tenant, self._clock.now_ns(), self._settings.future_tolerance_seconds)
        moment_ns = place.timestamp_ns
        if order is Order.asc:
            return TimeRange(moment_ns, everything.end_ns) if moment_ns < everything.end_ns else None
        return TimeRange(everything.start_ns, moment_ns + 1) if everything.start_ns <= moment_ns else None


def _stats(answers: Sequence[Answer]) -> Stats:
    return Stats(
        elapsed_ms=sum(answer.elapsed_ms for answer in answers),
        rows_read=sum(answer.rows_read for answer in answers),
        bytes_read=sum(answer.bytes_read for answer in answers),
        granules_total=None,
        granules_read=None,
        plan=Plan.in_order,
        windows=len(answers),
    )
