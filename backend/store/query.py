"""A query in the form that every plan takes."""

from dataclasses import dataclass, replace
from typing import Self

from backend.store.compile.filter import Filter
from backend.store.order import Order
from backend.store.record_id import RecordId
from backend.store.replicas.shown import Shown
from backend.store.scope import Scope, TimeRange


@dataclass(frozen=True, slots=True)
class Query:
    """Reads at most `limit` matching records of a scope in `order`, after the record `after` if it is given."""

    scope: Scope
    matching: Filter
    order: Order
    limit: int
    after: RecordId | None = None
    shown: Shown | None = None
    """Replica and messages that the pages before `after` showed; None for a first page, and if there is one replica."""
    tests_bodies: bool = False
    """True to search parts of words in the bodies, and not in the dictionary of an index on words."""

    @property
    def open_range(self) -> TimeRange:
        """The part of the scope's range that can still have records of the query.

        Reading it in `order` begins at the nanosecond of `after`, inclusive.
        """
        within = self.scope.time_range
        if self.after is None:
            return within
        if self.order is Order.desc:
            return TimeRange(within.start_ns, min(within.end_ns, self.after.timestamp_ns + 1))
        return TimeRange(max(within.start_ns, self.after.timestamp_ns), within.end_ns)

    @property
    def with_one_more(self) -> Self:
        """The query for one more record, which shows whether there is a next page."""
        return replace(self, limit=self.limit + 1)

    @property
    def of_each_table(self) -> tuple[Self, ...]:
        """The query over each log table of its scope alone."""
        return tuple(replace(self, scope=scope) for scope in self.scope.of_each_table)

    def over(self, time_range: TimeRange) -> Self:
        """Returns the query over another range of time."""
        return replace(self, scope=replace(self.scope, time_range=time_range))

    def within(self, window: TimeRange, limit: int, *, tests_bodies: bool = False) -> Self:
        """Returns the query over a window of time, for at most `limit` records."""
        return replace(self.over(window), limit=limit, tests_bodies=tests_bodies)
