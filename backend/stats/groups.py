"""Finds the groups that an answer shows, within bounds on memory, and their functions.

Three statements at most: the first groups with their functions; where there are too many groups for that, the names of
the first groups; where not all groups are shown, the functions of the chosen groups and of all others together, which
are exact whatever the statements before left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from backend.language.stats_nodes import Call, Function
from backend.stats.run import Run
from backend.stats.statements import OTHERS, Group, ScopedStats, chosen_groups, first_groups, first_names

FIRST_GROUPS: Final = 10_000
"""Number of groups whose functions one statement computes before it leaves groups out.

A quantile's sketch takes up to some 10 KB for a group, so that four functions of so many groups take a fifth of the
memory of a search.
"""
MAX_GROUPS: Final = 1_000_000
"""Number of groups that are compared by a function that takes a few bytes for a group."""

_LIGHT: Final = frozenset(
    {Function.count, Function.count_if, Function.rate, Function.sum, Function.avg, Function.min, Function.max}
)
"""Functions that take a few bytes for a group."""


@dataclass(frozen=True, slots=True)
class Found:
    """Groups in order, of which the last may be all others together, and the number of all groups.

    `is_complete`: all groups were compared with each other.
    """

    groups: Sequence[Group]
    found: int
    is_complete: bool


async def find_groups(run: Run, requested: ScopedStats, *, with_values: bool) -> Found:
    """Returns at most as many groups as the stats' limit, and one for all others.

    The groups may lack their values where `with_values` is false. Raises what Executor.run raises.
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
    return Found(await run.rows(chosen_groups(requested, names)), found, is_complete)


def _is_light(requested: ScopedStats) -> bool:
    """Returns true if comparing groups takes a few bytes for each."""
    sort = requested.stats.sort
    return sort is None or (isinstance(sort.key, Call) and sort.key.function in _LIGHT)
