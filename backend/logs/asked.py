"""What a search asks for, typed: query text and a time range whose ends may be open."""

from dataclasses import dataclass

from backend.store.order import Order
from backend.store.plans.plan import Plan
from backend.store.scope import TimeRange


@dataclass(frozen=True, slots=True)
class Search:
    """What a caller asked; a bound that is None means the whole retention."""

    query: str
    start_ns: int | None
    end_ns: int | None

    def within(self, everything: TimeRange) -> TimeRange:
        """The range that is meant, where `everything` is what there can be. Raises InvalidRequest for an empty one."""
        return TimeRange(
            everything.start_ns if self.start_ns is None else self.start_ns,
            everything.end_ns if self.end_ns is None else self.end_ns,
        )


@dataclass(frozen=True, slots=True)
class PageOptions:
    """Which page of a search, and how it is read."""

    order: Order = Order.desc
    limit: int = 100
    cursor: str | None = None
    plan: Plan = Plan.auto
