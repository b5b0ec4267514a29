"""Counts what searches make ClickHouse read."""

from backend.store.plans.plan import Plan
from backend.store.rows import Cost
from kit import metrics


class Costs:
    """The process's counters of rows and bytes read."""

    def __init__(self) -> None:
        self._rows_read = metrics.counter(metrics.SEARCH_ROWS_READ)
        self._bytes_read = metrics.counter(metrics.SEARCH_BYTES_READ)

    def count(self, cost: Cost, plan: Plan = Plan.in_order) -> None:
        """Adds the rows and bytes that ClickHouse read for one statement, or for one window of a page."""
        self._rows_read.add(cost.rows_read, {"plan": plan})
        self._bytes_read.add(cost.bytes_read, {"plan": plan})
