"""Layouts of tables with many parts: one table or several lanes, partitions by tenant and day or by cohort and day."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from loadtest.bare_table import create_bare_table

PARTS_PER_LANE: Final = 1_000
"""Largest number of parts in a lane. As a node gets more parts, it gets more lanes."""

_NEVER: Final = 100_000_000


class Layout(StrEnum):
    """Ways to divide tenants and days into tables and partitions. LAYOUTS in report.py describes them."""

    lanes = "lanes"
    one_table = "one_table"
    cohorts = "cohorts"


@dataclass(frozen=True, slots=True)
class Filled:
    """Content of a node: `parts` (tenant, day) pairs in a layout."""

    layout: Layout
    parts: int

    @property
    def tables(self) -> int:
        return max(1, self.parts // PARTS_PER_LANE) if self.layout is Layout.lanes else 1

    def table(self, number: int) -> str:
        """Returns the name of table `number` (from 0)."""
        return f"parts_{self.layout.name}_{number}"


def create_table(name: str) -> str:
    """Returns the statement that creates a log table without skip indexes, whose parts are never merged."""
    return create_bare_table(name, {"max_parts_in_total": _NEVER, "max_bytes_to_merge_at_max_space_in_pool": 1})


TENANTS: Final = 250
"""Tenants with rows on each day. The number of days follows from the number of pairs."""

COHORTS: Final = 5
"""Number of cohorts in layout `cohorts`, where tenants share them. In other layouts, each tenant is a cohort."""


def insert(filled: Filled, number: int, first: int, count: int) -> str:
    """Returns the statement that adds `count` (tenant, day) pairs to table `number`, one row each.

    Pairs are numbered within the table. `first` is the number of the first one.
    """
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


def search(filled: Filled, number: int) -> str:
    """Returns a search in two days of one tenant, which reads two parts.

    Successive values of `number` give searches of other tables, tenants and days.
    """
    table = filled.table(number % filled.tables)
    pairs = filled.parts // filled.tables
    days = max(2, pairs // TENANTS)
    tenant, day = number % min(TENANTS, pairs), number % (days - 1)
    cohort = f"c{tenant % COHORTS}" if filled.layout is Layout.cohorts else f"t{tenant}"
    start = f"toDateTime64('2020-01-01 00:00:00', 9, 'UTC') + toIntervalDay({day})"
    return (
        f"SELECT timestamp, id FROM {table} WHERE tenant_id = {tenant} AND cohort = '{cohort}' AND timestamp >= {start}"
        f" AND timestamp < {start} + toIntervalDay(2) ORDER BY timestamp DESC, id DESC LIMIT 100"
    )
