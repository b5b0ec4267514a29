"""Tests that groups for series are found without functions that the statement of the series computes again."""

import asyncio
from collections.abc import Sequence
from typing import Any, cast

import pytest

from backend.language.parse import parse_stats
from backend.stats.groups import FIRST_GROUPS, find_groups
from backend.stats.run import Run
from backend.stats.statements import Group, RankedName
from backend.stats.tests.test_series import scoped
from backend.store.statement import Statement


class ManyGroups:
    """Answers with more groups than one statement may compute functions of. Records the statements."""

    def __init__(self) -> None:
        self.requested: list[Statement[Any]] = []

    async def rows(self, statement: Statement[Any]) -> Sequence[object]:
        self.requested.append(statement)
        if statement.row == RankedName._make:
            return [RankedName("a", FIRST_GROUPS + 1)]
        return [Group("a", FIRST_GROUPS + 1, ("=a",), ()), Group("b", FIRST_GROUPS + 1, ("=b",), ())]


@pytest.mark.parametrize("order", ["", " | sort p50(ms)"])
@pytest.mark.parametrize("with_values", [True, False])
def test_only_a_table_of_many_groups_needs_the_values_of_all_functions(order: str, with_values: bool) -> None:
    run = ManyGroups()
    query = parse_stats(f"| stats count(), p50(ms), uniq(user) by shop{order} | limit 1")
    asyncio.run(find_groups(cast(Run, run), scoped(query), with_values=with_values))

    first, *_, last = run.requested
    assert len(run.requested) == (2 if order else 3)
    for each in (first, last):
        assert ("uniq" in each.sql) == with_values
