"""Fills all tables with the same records: whole on the first node, and in halves on both behind Distributed tables."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Final

from clickhouse_connect.driver.client import Client

from kit.settings import Settings
from loadtest.bare_table import count_rows, digest
from loadtest.bench import Bench
from loadtest.corpus.load import load
from loadtest.corpus.rows import Corpus
from loadtest.pages.layouts import EXPORTER_TEXT, OURS, PEERS, SEVERITY_KEY, Layout, Source
from loadtest.pages.questions import planted_batch
from loadtest.pages.sides import Placement, ours
from schema.clickhouse.distributed import create_distributed, distributed_name
from schema.clickhouse.index_profiles import Profile
from schema.clickhouse.switch_profile import switch_profile
from schema.clickhouse.tables import create_table, table_name

LANES: Final[Mapping[tuple[Placement, str], int]] = {
    (placement, ours(profile)): lane for lane, (placement, profile) in enumerate(product(Placement, Profile))
}
"""Lane with the rows of each placement, by the name of Logsieve's layout."""
_FIRST: Final = {placement: table_name(LANES[placement, ours(Profile.tokenbf)]) for placement in Placement}
"""Table of each placement from which the others are filled."""
# A repeated copy inserts the same blocks again. ClickHouse would otherwise skip them as duplicates.
_AGAIN: Final = {"insert_deduplicate": 0}


def source(layout: str, placement: Placement) -> Source:
    """Returns the table to read a layout from in a placement."""
    is_distributed = placement is Placement.shards
    if (lane := LANES.get((placement, layout))) is not None:
        found, table = OURS, table_name(lane)
    else:
        found = next(each for each in (*PEERS, EXPORTER_TEXT, SEVERITY_KEY) if each.name == layout)
        table = _table(found, placement)
    return Source(found, distributed_name(table) if is_distributed else table, is_distributed)


def folder_name(corpus: Corpus) -> str:
    """Returns the name of the folder with all tables of a corpus.

    A table counts as complete by its number of rows alone. So another corpus has another folder, and so has the same
    corpus after a release has changed the log table.
    """
    return f"{corpus.rows}-{corpus.seed}-{digest(create_table('', ''))}"


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
        tables = self._create(first, Placement.local, layouts)
        load(first, _FIRST[Placement.local], self._corpus, self._bench.say, planted_batch)
        self._copy(first, tables, _FIRST[Placement.local], self._corpus.rows)
        return list(tables)

    def fill_all(self, nodes: Sequence[Client]) -> None:
        """Fills the tables of all layouts in both placements. Merges each table into one part per partition."""
        first, whole, half = nodes[0], _FIRST[Placement.local], _FIRST[Placement.shards]
        _optimize(first, self.fill_whole(first, (*PEERS, SEVERITY_KEY)))
        for number, node in enumerate(nodes):
            tables = self._create(node, Placement.shards, PEERS)
            # The source is the Distributed table, because all rows are on the first node. A hash of the id divides the
            # rows, because planted words depend on the id.
            own = f"(SELECT * FROM {distributed_name(whole)} WHERE cityHash64(id) % {len(nodes)} = {number})"
            rows = count_rows(node, own)
            self._copy(node, {half: OURS}, own, rows)
            self._copy(node, tables, half, rows)
            _optimize(node, tables)
        for layout in PEERS:
            table = _table(layout, Placement.shards)
            first.command(create_distributed(self._settings, distributed_name(table), table))

    def _create(self, node: Client, placement: Placement, layouts: Sequence[Layout]) -> dict[str, Layout]:
        """Gives each lane of a placement its index profile, and creates the tables of `layouts`. Returns all tables."""
        tables: dict[str, Layout] = {}
        for profile in Profile:
            table = table_name(LANES[placement, ours(profile)])
            switch_profile(node, table, profile, self._bench.clock, lambda _: None)
            tables[table] = OURS
        for layout in layouts:
            table = _table(layout, placement)
            node.command(layout.create.format(table=table))
            tables[table] = layout
        return tables

    def _copy(self, node: Client, tables: Mapping[str, Layout], source_: str, rows: int) -> None:
        """Copies `source_`, a log table or a subquery of `rows` rows, into each table that has another number of rows,
        instead of its rows."""
        for table, layout in tables.items():
            if table != source_ and count_rows(node, table) != rows:
                node.command(f"TRUNCATE TABLE {table}")
                self._bench.say(f"copying {rows:,} records to {table}")
                node.command(layout.copy.format(table=table, source=source_), settings=dict(_AGAIN))


def _table(layout: Layout, placement: Placement) -> str:
    name = f"plans_{layout.name.replace(' ', '_')}_{digest(layout.create, layout.copy)}"
    return name + ("_half" if placement is Placement.shards else "")


def _optimize(node: Client, tables: Iterable[str]) -> None:
    for table in tables:
        node.command(f"OPTIMIZE TABLE {table} FINAL")
