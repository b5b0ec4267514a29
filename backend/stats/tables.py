"""Reads the numbers without time buckets: one row for each group, and all other groups together."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.stats.answer import cells_of, group_of, groups_of, left_out
from backend.stats.groups import find_groups
from backend.stats.run import Run
from backend.stats.schemas import Cell, StatsGroups
from backend.stats.statements import ScopedStats, all_records


@dataclass(frozen=True, slots=True)
class StatsTable:
    """Members of LogStats that an answer without time buckets has."""

    rows: list[list[Cell]]
    other: list[Cell] | None
    groups: StatsGroups
    left_out: str | None


async def read_table(run: Run, requested: ScopedStats, seconds: float) -> StatsTable:
    """Returns one row for each group, or one for all records. `seconds` is the length of the time from which rates are
    computed. Raises what Executor.run raises."""
    stats = requested.stats
    if not stats.by:
        [whole] = await run.rows(all_records(requested))
        return StatsTable([cells_of(stats, whole.values, seconds)], None, groups_of(1, 1, is_complete=True), None)
    found = await find_groups(run, requested, with_values=True)
    rows: list[list[Cell]] = []
    other: list[Cell] | None = None
    for group in found.groups:
        cells: Sequence[Cell] = cells_of(stats, group.values, seconds)
        if group.is_other:
            other = [*cells]
        else:
            rows.append([*group_of(group.keys), *cells])
    return StatsTable(
        rows,
        other,
        groups_of(found.found, len(rows), is_complete=found.is_complete),
        left_out(found.found, len(rows), is_complete=found.is_complete),
    )
