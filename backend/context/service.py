"""Finds the records around one record."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from backend.answers.pieces import pieces
from backend.answers.resources import Resources
from backend.answers.threads import AnswerThreads
from backend.context.sameness import Same, sharing
from backend.logs.record_size import size_of
from backend.logs.records import encode_log
from backend.logs.schemas import Stats
from backend.store.compile.filter import Filter, compile_filter
from backend.store.execute import Executor
from backend.store.get_record import RecordReader
from backend.store.limits import RanTooLong
from backend.store.order import Order
from backend.store.plans.plan import Plan
from backend.store.record_id import RecordId, key_of
from backend.store.rows import NO_COST, Cost
from backend.store.runs_in_time import RunsInTime
from backend.store.scope import Scopes, TimeRange
from backend.store.scroll import ScrollReader
from backend.store.together import all_of
from backend.store.windows import far_edge
from backend.times import format_time
from kit.clock import Clock
from kit.errors import QueryTooExpensive
from kit.fair_budget import Share
from kit.settings import Settings
from schema.columns import Record
from schema.control.directory import Tenant

SIDE_ROWS: Final = 2_000_000
"""Number of rows read after which the search for the neighbours on one side stops."""

SIDE_BYTES: Final = 8 * 2**20
"""Size of a side's records, in bytes of their texts, from which on no further page of the side is read. A page adds at
most scroll.STEP_BYTES, or one larger record."""

SIDE_LIMITS: Final = 2
"""Time that the statements of a side may run together, as a multiple of LOGSIEVE_QUERY_MAX_SECONDS."""

STATEMENT_SHARE: Final = 0.5
"""Share of a side's time left that one statement may take. After a statement that took too long, the next one reads a
quarter of its window, in half of its time."""


@dataclass(frozen=True, slots=True)
class Side:
    """Neighbours on one side, nearest first.

    `reached_ns`: how far the side was searched, in nanoseconds since the Unix epoch: its earliest time for the older
    side, its latest for the newer one.
    """

    records: Sequence[Record]
    is_complete: bool
    reached_ns: int
    cost: Cost


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A record and its neighbours on both sides."""

    record: Record
    older: Side
    newer: Side

    async def encoded(self, writers: AnswerThreads, tenant_id: int) -> list[bytes]:
        """Returns the JSON of schemas.Context in pieces."""
        rest = {
            "complete_before": self.older.is_complete,
            "complete_after": self.newer.is_complete,
            "searched_from": format_time(self.older.reached_ns),
            "searched_to": format_time(self.newer.reached_ns),
            "stats": _stats(self.older.cost + self.newer.cost).model_dump(),
        }

        def write() -> list[bytes]:
            older, newer = self.older.records[::-1], self.newer.records
            before, after = ([encode_log(record) for record in side] for side in (older, newer))
            return pieces(
                (
                    b'{"before":[' + b",".join(before),
                    b'],"log":' + encode_log(self.record),
                    b',"after":[' + b",".join(after),
                    b"]," + orjson.dumps(rest)[1:],
                )
            )

        return await writers.run(tenant_id, write)


class ContextService:
    def __init__(self, settings: Settings, executor: Executor, clock: Clock, resources: Resources) -> None:
        self._settings = settings
        self._executor = executor
        self._clock = clock
        self._records = RecordReader(settings, executor, clock)
        self._scopes = Scopes(settings, clock)
        self._reader = ScrollReader(executor)
        self._writers = resources.writers
        self.answers = resources.answers
        """Budget for the bytes of records and answers that are in memory for clients."""

    async def around(self, tenant: Tenant, record: str, before: int, after: int, same: Iterable[Same]) -> list[bytes]:
        """Returns the record with up to `before` older and `after` newer records that share its `same` values, as
        pieces of the JSON of schemas.Context.

        Raises NotFound for an id without a record of the tenant, InvalidRequest where the record lacks one of the
        fields or has too large a value of it, RateLimited if `answers` has no room for the records, and what
        Executor.run raises.
        """
        with self.answers.share(tenant.id) as held:
            found = await self._records.get(tenant, record)
            held.grow(size_of([found]))
            search = _Search(tenant, key_of(found), compile_filter(sharing(found, same)), held)
            older, newer = await all_of((self._side(search, Order.desc, before), self._side(search, Order.asc, after)))
            return await Surroundings(found, older, newer).encoded(self._writers, tenant.id)

    async def _side(self, search: "_Search", order: Order, count: int) -> Side:
        tenant, place = search.tenant, search.place
        within = self._beyond(tenant, place, order)
        if count == 0 or within is None:
            return Side((), True, place.timestamp_ns, NO_COST)
        records: list[Record] = []
        size, cost, reached_ns = 0, NO_COST, place.timestamp_ns
        scope = self._scopes.of(tenant, within)
        seconds = SIDE_LIMITS * self._settings.query_max_seconds
        runs = RunsInTime(self._executor, seconds, self._clock, STATEMENT_SHARE)
        try:
            async for page in self._reader.over(runs).read(lambda: scope, search.matching, order, count, place):
                search.held.grow(added := size_of(page.records))
                records += page.records
                size += added
                cost += page.cost
                reached_ns = far_edge(page.window, order) if page.ends_window else page.records[-1].timestamp
                if len(records) >= count:
                    return Side(records[:count], True, records[count - 1].timestamp, cost)
                if cost.rows_read >= SIDE_ROWS or size >= SIDE_BYTES:
                    at_the_end = page.ends_window and reached_ns in (within.start_ns, within.end_ns)
                    return Side(records, at_the_end, reached_ns, cost)
        except QueryTooExpensive as error:
            if cost.windows:
                return Side(records, False, reached_ns, cost)
            if not isinstance(error, RanTooLong):
                raise
            side = "before" if order is Order.desc else "after"
            raise QueryTooExpensive(
                f"the records {side} this one could not be read within {seconds:g} s: try again later, or with fewer "
                "fields in `same`"
            ) from error
        return Side(records, True, reached_ns, cost)

    def _beyond(self, tenant: Tenant, place: RecordId, order: Order) -> TimeRange | None:
        """Returns the range that can hold the side's records, or None if the retention ends there.

        The range includes the nanosecond of the record itself.
        """
        everything = self._scopes.retention(tenant)
        moment_ns = place.timestamp_ns
        if order is Order.asc:
            return TimeRange(moment_ns, everything.end_ns) if moment_ns < everything.end_ns else None
        return TimeRange(everything.start_ns, moment_ns + 1) if everything.start_ns <= moment_ns else None


@dataclass(frozen=True, slots=True)
class _Search:
    """Values that the searches for both sides of one request share. `held` counts the bytes of their records."""

    tenant: Tenant
    place: RecordId
    matching: Filter
    held: Share


def _stats(cost: Cost) -> Stats:
    return Stats(
        elapsed_ms=cost.elapsed_ms,
        rows_read=cost.rows_read,
        bytes_read=cost.bytes_read,
        granules_total=None,
        granules_read=None,
        plan=Plan.in_order,
        windows=cost.windows,
    )
