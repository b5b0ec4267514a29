"""Runs the query of an alert rule, and returns the value of its condition's column for each group."""

from backend.alerts.content import column_index
from backend.alerts.rules import Rule
from backend.alerts.transitions import Group, Observed
from backend.language.parse import parse_stats
from backend.logs.parameters import SearchParameters
from backend.stats.schemas import Cell
from backend.stats.service import StatsService
from kit.errors import Unavailable
from schema.control.directory import Directory


class RuleQueries:
    """Runs queries as searches of the rule's tenant: with its scope, in the queue of searches, with their limits."""

    def __init__(self, directory: Directory, stats: StatsService, delay_seconds: int) -> None:
        """`delay_seconds` is the time between the end of the range that is read and the evaluation."""
        self._directory = directory
        self._stats = stats
        self._delay_ns = delay_seconds * 10**9

    async def observe(self, rule: Rule, at_ns: int) -> list[Observed]:
        """Returns the values of an evaluation at `at_ns`. Raises what StatsService.stats raises."""
        tenant = self._directory.tenant(rule.tenant_id)
        if tenant is None:
            raise Unavailable("the tenant is not in the worker's copy of the control plane yet; it is read again soon")
        content, end_ns = rule.content, at_ns - self._delay_ns
        stats = parse_stats(content.query).stats
        column = column_index(stats, content.condition.column)
        parameters = SearchParameters(query=content.query, start=end_ns - content.range_seconds * 10**9, end=end_ns)
        answer = await self._stats.stats(tenant, parameters)
        return [Observed(_group(row[: len(stats.by)]), _number(row[column])) for row in answer.rows]


def _group(cells: list[Cell]) -> Group:
    return tuple(None if cell is None else str(cell) for cell in cells)


def _number(cell: Cell) -> float | None:
    return None if cell is None else float(cell)
