"""Fills all tables with the same records: whole on the first node, and in halves on both behind Distributed tables."""

from collections.abc import Mapping, Sequence
from typing import Final

from clickhouse_connect.driver.client import Client

from kit.settings import Settings
from loadtest.bare_table import count_rows
from loadtest.bench import Bench
from loadtest.corpus.load import load
from loadtest.corpus.rows import Corpus
from loadtest.plans.layouts import OURS, PEERS, SEVERITY_KEY, Layout
from loadtest.plans.questions import planted_batch
from loadtest.plans.sides import Placement, ours
from loadtest.plans.statements import Source
from schema.clickhouse.distributed import create_distributed, distributed_name
from schema.clickhouse.index_profiles import Profile
from schema.clickhouse.switch_profile import switch_profile
from schema.clickhouse.tables import table_name

LANES: Final[Mapping[tuple[Placement, Profile], int]] = {
    (Placement.local, Profile.tokenbf): 0,
    (Placement.local, Profile.text): 1,
    (Placement.shards, Profile.tokenbf): 2,
    (Placement.shards, Profile.text): 3,
}
_ALL_FIRST: Final = table_name(LANES[Placement.local, Profile.tokenbf])
_HALF_FIRST: Final = table_name(LANES[Placement.shards, Profile.tokenbf])
# A repeated copy inserts the same blocks again. ClickHouse would otherwise skip them as duplicates.
_AGAIN: Final = {"insert_deduplicate": 0}


def source(layout: str, placement: Placement) -> Source:
    """Returns the table to read a layout from in a placement."""
    is_distributed = placement is Placement.shards
    profiles = [profile for profile in Profile if layout == ours(profile)]
    if profiles:
        found, table = OURS, table_name(LANES[placement, profiles[0]])
    else:
        found = next(each for each in (*PEERS, SEVERITY_KEY) if each.name == layout)
        table = _table(found, placement)
    return Source(found, distributed_name(table) if is_distributed else table, is_distributed)


class PageStore:
    """Creates and fills the tables of the comparison. The nodes must not have rows of another corpus.

    A complete table is kept. A table that a killed run left incomplete is filled again.
    """

    def __init__(self, bench: Bench, settings: Settings, corpus: Corpus) -> None:
        self._bench = bench
        self._settings = settings
        self._corpus = corpus

    def fill_whole(self, first: Client, layouts: Sequence[Layout]) -> list[str]:
        """Fills the lane of each profile and the tables of `layouts` on the first node. Returns the tables' names."""
        for profile in Profile:
            self._switch(first, Placement.local, profile)
        load(first, _ALL_FIRST, self._corpus, self._bench.say, planted_batch)
        tables = {table_name(LANES[Placement.local, Profile.text]): OURS}
        tables |= {_created(first, layout, Placement.local): layout for layout in layouts}
        for table, layout in tables.items():
            self._copy(first, layout, table, _ALL_FIRST, self._corpus.rows)
        return [_ALL_FIRST, *tables]

    def fill_all(self, nodes: Sequence[Client]) -> None:
        """Fills the tables of all layouts in both placements. Merges each table into one part per partition."""
        first = nodes[0]
        _optimize(first, self.fill_whole(first, (*PEERS, SEVERITY_KEY)))
        for number, node in enumerate(nodes):
            for profile in Profile:
                self._switch(node, Placement.shards, profile)
            # The source is the Distributed table, because all rows are on the first node. A hash of the id divides the
            # rows, because planted words depend on the id.
            half = f"(SELECT * FROM {distributed_name(_ALL_FIRST)} WHERE cityHash64(id) % {len(nodes)} = {number})"
            share = count_rows(node, half)
            self._copy(node, OURS, _HALF_FIRST, half, share)
            tables = {table_name(LANES[Placement.shards, Profile.text]): OURS}
            tables |= {_created(node, layout, Placement.shards): layout for layout in PEERS}
            for table, layout in tables.items():
                self._copy(node, layout, table, _HALF_FIRST, share)
            _optimize(node, [_HALF_FIRST, *tables])
        for layout in PEERS:
            table = _table(layout, Placement.shards)
            first.command(create_distributed(self._settings, distributed_name(table), table))

    def _switch(self, node: Client, placement: Placement, profile: Profile) -> None:
        switch_profile(node, table_name(LANES[placement, profile]), profile, self._bench.clock, lambda _: None)

    def _copy(self, node: Client, layout: Layout, table: str, source_: str, rows: int) -> None:
        if count_rows(node, table) != rows:
            node.command(f"TRUNCATE TABLE {table}")
            self._bench.say(f"copying {rows:,} records to {table}")
            node.command(layout.copy.format(table=table, source=source_), settings=dict(_AGAIN))


def _created(node: Client, layout: Layout, placement: Placement) -> str:
    table = _table(layout, placement)
    node.command(layout.create.format(table=table))
    return table


def _table(layout: Layout, placement: Placement) -> str:
    return f"plans_{layout.name.replace(' ', '_')}" + ("_half" if placement is Placement.shards else "")


def _optimize(node: Client, tables: Sequence[str]) -> None:
    for table in tables:
        node.command(f"OPTIMIZE TABLE {table} FINAL")
