"""What every plan is given."""

from dataclasses import dataclass, replace
from typing import Self

from backend.store.compile.filter import Filter
from backend.store.order import Order
from backend.store.record_id import RecordId
from backend.store.scope import Scope, TimeRange


@dataclass(frozen=True, slots=True)
class PageQuestion:
    """At most `limit` matching records of a scope in `order`, those behind `after` where it is given."""

    scope: Scope
    matching: Filter
    order: Order
    limit: int
    after: RecordId | None

    @property
    def open_range(self) -> TimeRange:
        """The part of the range that can still have records: it begins at the nanosecond of `after`."""
        within = self.scope.time_range
        if self.after is None:
            return within
        if self.order is Order.desc:
            return TimeRange(within.start_ns, min(within.end_ns, self.after.timestamp_ns + 1))
        return TimeRange(max(within.start_ns, self.after.timestamp_ns), within.end_ns)

    @property
    def of_one_shard(self) -> Self:
        """The same question about the tables of the shard that is asked alone."""
        return replace(self, scope=self.scope.of_one_shard)

    def within(self, window: TimeRange, limit: int) -> Self:
        """The same question about a window of time, for fewer records."""
        return replace(self, scope=replace(self.scope, time_range=window), limit=limit)
