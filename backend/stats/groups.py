"""Finds the groups that an answer shows and the values of their functions, within bounds on memory.

Runs at most three statements. The first one reads the first groups, in the order of the answer, with their values. If
it left groups out because there are too many, and comparing groups takes only a few bytes for each, the second
statement reads the names of the first groups. If not all groups are shown and values are missing, the last statement
reads the values of the chosen groups and of all other groups together. These values, and the order of the chosen
groups, are exact, even if an earlier statement left groups out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from backend.language.stats_nodes import Call, Function
from backend.stats.run import Run
from backend.stats.statements import OTHERS, Group, ScopedStats, chosen_groups, first_groups, first_names

FIRST_GROUPS: Final = 10_000
"""Largest number of groups whose functions one statement computes. Beyond it, the statement leaves groups out.

A quantile takes up to about 10 KB for a group. Four quantiles over this number of groups take a fifth of the memory of
a search.
"""
MAX_GROUPS: Final = 1_000_000
"""Largest number of groups that a statement compares if the function takes only a few bytes for each group."""

_LIGHT: Final = frozenset(
    {Function.count, Function.count_if, Function.rate, Function.sum, Function.avg, Function.min, Function.max}
)
"""Functions that take only a few bytes for each group."""


@dataclass(frozen=True, slots=True)
class Found:
    """Groups in the query's order. The last one may stand for all other groups together.

    `found`: number of all groups. If `is_complete` is false, there were too many groups to compare them all: `found` is
    then a lower bound, and a group that is not shown may belong before the shown ones.
    """

    groups: Sequence[Group]
    found: int
    is_complete: bool


async def find_groups(run: Run, requested: ScopedStats, *, with_values: bool) -> Found:
    """Returns at most `limit` groups of the stats, and one group for all others.

    If `with_values` is false, the groups may have no values. Raises what Executor.run raises.
    """
    limit = requested.stats.limit
    first = await run.rows(first_groups(requested, FIRST_GROUPS, with_values=with_values))
    found = first[0].found if first else 0
    if found <= limit:
        return Found(first, found, True)
    names, is_complete = [group.name for group in first[:limit]], found < FIRST_GROUPS
    if is_complete and not with_values:
        return Found([*first[:limit], OTHERS], found, True)
    if not is_complete and _is_light(requested):
        ranked = await run.rows(first_names(requested, MAX_GROUPS))
        names, found = [each.name for each in ranked], ranked[0].found if ranked else 0
        is_complete = found < MAX_GROUPS
    return Found(await run.rows(chosen_groups(requested, names, with_values=with_values)), found, is_complete)


def _is_light(requested: ScopedStats) -> bool:
    """Returns true if comparing groups takes only a few bytes for each group."""
    ranking = requested.stats.ranking.key
    return isinstance(ranking, Call) and ranking.function in _LIGHT
