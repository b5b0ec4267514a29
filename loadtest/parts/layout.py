"""Tables with many parts: all in one table or spread over lanes; a partition a tenant and day, or a cohort and day."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from loadtest.bare_table import create_bare_table

PARTS_PER_LANE: Final = 1_000
"""Lanes are added as a node fills, so that a lane never has more; that is what lanes are for."""

_NEVER: Final = 100_000_000


class Layout(StrEnum):
    """Ways in which tenants and days become parts; LAYOUTS describes them in words."""

    lanes = "lanes"
    one_table = "one_table"
    cohorts = "cohorts"


@dataclass(frozen=True, slots=True)
class Filled:
    """A node filled up to `parts` (tenant, day) pairs in a layout."""

    layout: Layout
    parts: int

    @property
    def tables(self) -> int:
        return max(1, self.parts // PARTS_PER_LANE) if self.layout is Layout.lanes else 1

    def table(self, number: int) -> str:
        """Returns the name of one of its tables."""
        return f"parts_{self.layout.name}_{number}"


def create_table(name: str) -> str:
    """Returns the statement for a log table without skip indexes, whose parts are never merged."""
    return create_bare_table(name, {"max_parts_in_total": _NEVER, "max_bytes_to_merge_at_max_space_in_pool": 1})


TENANTS: Final = 250
"""Tenants in each day; days follow until there are enough parts."""

COHORTS: Final = 5
"""Cohorts where a partition is a cohort and day: retention classes instead of every tenant by itself."""


def insert(filled: Filled, number: int, first: int, count: int) -> str:
    """Returns the statement that adds `count` parts to a table, numbered from `first`: one row a (tenant, day) pair."""
    cohort = (
        f"concat('c', toString(number % {TENANTS} % {COHORTS}))"
        if filled.layout is Layout.cohorts
        else f"concat('t', toString(number % {TENANTS}))"
    )
    day = f"intDiv(number, {TENANTS})"
    return (
        f"INSERT INTO {filled.table(number)} (tenant_id, cohort, timestamp, id, body)"
        f" SELECT number % {TENANTS}, {cohort}, toDateTime64('2020-01-01 00:00:00', 9, 'UTC') + toIntervalDay({day}),"
        f" number, 'connection reset by peer' FROM numbers({first}, {count})"
        " SETTINGS max_partitions_per_insert_block = 0, max_insert_threads = 1, optimize_on_insert = 0,"
        " throw_on_max_partitions_per_insert_block = 0"
    )


def search(filled: Filled, turn: int) -> str:
    """Returns a search of one tenant in two days, which reads two parts; `turn` goes over tables, tenants and days."""
    table = filled.table(turn % filled.tables)
    pairs = filled.parts // filled.tables
    days = max(2, pairs // TENANTS)
    tenant, day = turn % min(TENANTS, pairs), turn % (days - 1)
    cohort = f"c{tenant % COHORTS}" if filled.layout is Layout.cohorts else f"t{tenant}"
    begin = f"toDateTime64('2020-01-01 00:00:00', 9, 'UTC') + toIntervalDay({day})"
    return (
        f"SELECT timestamp, id FROM {table} WHERE tenant_id = {tenant} AND cohort = '{cohort}' AND timestamp >= {begin}"
        f" AND timestamp < {begin} + toIntervalDay(2) ORDER BY timestamp DESC, id DESC LIMIT 100"
    )
