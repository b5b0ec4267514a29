"""Layouts of tables with many parts: one table or several lanes, partitions by tenant and day or by cohort and day,
with skip indexes or without."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from clickhouse_connect.driver.client import Client

from loadtest.bare_table import count_rows, create_bare_table
from loadtest.bench import Say
from schema.clickhouse.tables import create_table as create_log_table

PARTS_PER_LANE: Final = 1_000
"""Largest number of parts in a lane. As a node gets more parts, it gets more lanes."""
TENANTS: Final = 250
"""Tenants with rows on each day. The number of days follows from the number of pairs."""
RECORDS: Final = 10
"""Records of each pair in layout `installed`. Other layouts have one short record in each."""
WORDS: Final = 60
"""Words of 16 characters in the body of each record in layout `installed`: 1,019 bytes."""
COHORTS: Final = 5
"""Number of cohorts in layout `cohorts`, where tenants share them. In other layouts, each tenant is a cohort."""
_AT_ONCE: Final = 1_000
"""Largest number of pairs that one insert adds."""
_PROGRESS_EVERY: Final = 10_000
_NEVER: Final = 100_000_000
_FIRST_DAY: Final = "toDateTime64('2020-01-01 00:00:00', 9, 'UTC')"


class Layout(StrEnum):
    """Ways to divide tenants and days into tables and partitions. LAYOUTS in study.py describes them."""

    installed = "installed"
    lanes = "lanes"
    one_table = "one_table"
    cohorts = "cohorts"


@dataclass(frozen=True, slots=True)
class Filled:
    """Tables of a server in one layout. `parts` is the number of pairs of a tenant and a day that have records."""

    layout: Layout
    parts: int

    @property
    def tables(self) -> int:
        return max(1, self.parts // PARTS_PER_LANE) if self.layout in (Layout.lanes, Layout.installed) else 1

    @property
    def records(self) -> int:
        """Number of records of a pair."""
        return RECORDS if self.layout is Layout.installed else 1

    def table(self, number: int) -> str:
        return f"parts_{self.layout.name}_{number}"


def create_table(filled: Filled, number: int) -> str:
    """Returns the statement that creates table `number`, whose parts are never merged."""
    settings = {"max_parts_in_total": _NEVER, "max_bytes_to_merge_at_max_space_in_pool": 1}
    if filled.layout is not Layout.installed:
        return create_bare_table(filled.table(number), settings)
    installed = create_log_table("parts", filled.table(number), searched_words=True)
    unmerged = ", ".join(f"{name} = {value}" for name, value in settings.items())
    return f"{installed.replace('CREATE TABLE', 'CREATE TABLE IF NOT EXISTS', 1)}, {unmerged}"


def insert(filled: Filled, number: int, first: int, count: int) -> str:
    """Returns the statement that adds `count` (tenant, day) pairs to table `number`, each with its records.

    Pairs are numbered within the table. `first` is the number of the first one.
    """
    records = filled.records
    pair = f"intDiv(number, {records})"
    tenant, day = f"{pair} % {TENANTS}", f"intDiv({pair}, {TENANTS})"
    is_shared = filled.layout is Layout.cohorts
    cohort = f"concat('c', toString({tenant} % {COHORTS}))" if is_shared else f"concat('t', toString({tenant}))"
    words = f"arrayStringConcat(arrayMap(n -> hex(sipHash64(number, n)), range({WORDS})), ' ')"
    body = words if filled.layout is Layout.installed else "'connection reset by peer'"
    return (
        f"INSERT INTO {filled.table(number)} (tenant_id, cohort, timestamp, id, body)"
        f" SELECT {tenant}, {cohort}, {_FIRST_DAY} + toIntervalDay({day}),"
        f" number, {body} FROM numbers({first * records}, {count * records})"
        " SETTINGS max_partitions_per_insert_block = 0, max_insert_threads = 1, optimize_on_insert = 0,"
        " throw_on_max_partitions_per_insert_block = 0"
    )


def fill(client: Client, filled: Filled, name: str, say: Say) -> None:
    """Creates the tables and adds the pairs that they lack."""
    share = filled.parts // filled.tables
    done = 0
    for number in range(filled.tables):
        table = filled.table(number)
        client.command(create_table(filled, number))
        client.command(f"SYSTEM STOP MERGES {table}")
        present = count_rows(client, table) // filled.records
        for first in range(present, share, _AT_ONCE):
            client.command(insert(filled, number, first, min(_AT_ONCE, share - first)))
            done += _AT_ONCE
            if done % _PROGRESS_EVERY == 0:
                say(f"{name}: {done:,} of {filled.parts:,} parts added")


def search(filled: Filled, number: int) -> str:
    """Returns a search in two days of one tenant, which reads two parts. In layout `installed`, it is for an absent
    word, so that it reads indexes of these parts.

    Successive values of `number` give searches of other tables, tenants and days.
    """
    table = filled.table(number % filled.tables)
    pairs = filled.parts // filled.tables
    days = max(2, pairs // TENANTS)
    tenant, day = number % min(TENANTS, pairs), number % (days - 1)
    cohort = f"c{tenant % COHORTS}" if filled.layout is Layout.cohorts else f"t{tenant}"
    word = " AND hasToken(body, 'absent')" if filled.layout is Layout.installed else ""
    start = f"{_FIRST_DAY} + toIntervalDay({day})"
    return (
        f"SELECT timestamp, id FROM {table} WHERE tenant_id = {tenant} AND cohort = '{cohort}' AND timestamp >= {start}"
        f" AND timestamp < {start} + toIntervalDay(2){word} ORDER BY timestamp DESC, id DESC LIMIT 100"
    )
