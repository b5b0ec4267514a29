"""Runs the query of an alert rule, and returns for each group the value of the column in the rule's condition."""

import hashlib
import math
from typing import Final

from backend.alerts.content import column_index
from backend.alerts.evaluation_times import EvaluationTimes
from backend.alerts.repository import Rule
from backend.alerts.transitions import Group, Observed
from backend.language.parse import parse_stats
from backend.logs.parameters import SearchParameters
from backend.stats.schemas import Cell
from backend.stats.service import StatsService
from backend.store.query_threads import QueryThreads
from kit.errors import Unavailable
from schema.control.directory import Directory

VALUE_CHARACTERS: Final = 256
"""Largest number of characters of a group's value that are stored and sent. Each change of a group is stored once for
each channel."""
GROUP_CHARACTERS: Final = 1_024
"""Largest number of characters of all values of a group together, without the digests of cut values. Without this
limit, the history of one tenant's rules could have 2.4 GB."""


class RuleQueries:
    """Runs the queries of rules like searches of their tenant, with the same scope, queue and limits."""

    def __init__(
        self, directory: Directory, stats: StatsService, queries: QueryThreads, times: EvaluationTimes
    ) -> None:
        self._directory = directory
        self._stats = stats
        self._queries = queries
        self._times = times

    def due_by(self, now_ns: int) -> int:
        """Returns the time until which rules may be claimed (EvaluationTimes.due_by)."""
        return self._times.due_by(now_ns)

    def as_of(self, rule: Rule, now_ns: int) -> int:
        """Returns the time as of which a rule may be evaluated (EvaluationTimes.as_of)."""
        return self._times.as_of(rule, now_ns)

    async def observe(self, rule: Rule, at_ns: int) -> list[Observed]:
        """Returns the values of an evaluation at `at_ns`. Raises what QueryThreads.read and StatsService.stats
        raise."""
        tenant = self._directory.tenant(rule.tenant_id)
        if tenant is None:
            raise Unavailable(
                "the alert worker has not read this tenant from the control plane yet: the next evaluation tries again"
            )
        content, end_ns = rule.content, self._times.end_ns(at_ns)
        stats = (await self._queries.read(rule.tenant_id, parse_stats, content.query)).stats
        column = column_index(stats, content.condition.column)
        parameters = SearchParameters(query=content.query, start=end_ns - content.range_seconds * 10**9, end=end_ns)
        answer = await self._stats.stats(tenant, parameters)
        return [Observed(_group(row[: len(stats.by)]), _number(row[column])) for row in answer.rows]


def _group(cells: list[Cell]) -> Group:
    longest = min(VALUE_CHARACTERS, GROUP_CHARACTERS // max(1, len(cells)))
    return tuple(None if cell is None else _shortened(str(cell), longest) for cell in cells)


def _shortened(value: str, longest: int) -> str:
    """Returns a value of at most `longest` characters unchanged. Shortens a longer value to its start and a digest, so
    that different values stay different groups."""
    if len(value) <= longest:
        return value
    return f"{value[:longest]}… {hashlib.sha256(value.encode()).hexdigest()[:16]}"


def _number(cell: Cell) -> float | None:
    """Returns the number of a cell. NaN, such as a sum of opposite infinite numbers, is none."""
    number = math.nan if cell is None else float(cell)
    return None if math.isnan(number) else number
