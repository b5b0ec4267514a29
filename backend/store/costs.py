"""Counts what searches make ClickHouse read."""

from backend.store.execute import Answer
from backend.store.plans.plan import Plan
from kit import metrics


class Costs:
    """The process's counters of rows and bytes read."""

    def __init__(self) -> None:
        self._rows_read = metrics.counter(metrics.SEARCH_ROWS_READ)
        self._bytes_read = metrics.counter(metrics.SEARCH_BYTES_READ)

    def count(self, answer: Answer, plan: Plan = Plan.in_order) -> None:
        self._rows_read.add(answer.rows_read, {"plan": plan})
        self._bytes_read.add(answer.bytes_read, {"plan": plan})
