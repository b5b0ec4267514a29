"""The same records in every table: whole on the first node, and in halves on both behind Distributed tables."""

from collections.abc import Callable, Mapping
from typing import Final

from clickhouse_connect.driver.client import Client

from kit.clock import Clock
from kit.settings import Settings
from loadtest.corpus.load import load
from loadtest.corpus.rows import Corpus
from loadtest.plans.layouts.clickstack import CLICKSTACK
from loadtest.plans.layouts.exporter import EXPORTER
from loadtest.plans.layouts.layout import Layout
from loadtest.plans.layouts.ours import OURS
from loadtest.plans.layouts.severity_key import SEVERITY_KEY
from loadtest.plans.layouts.signoz import SIGNOZ
from loadtest.plans.sides import Placement, ours
from loadtest.plans.statements import Source
from loadtest.search.corpus import planted_batch
from schema.clickhouse.distributed import create_distributed, distributed_name
from schema.clickhouse.index_profiles import Profile
from schema.clickhouse.switch_profile import switch_profile
from schema.clickhouse.tables import table_name

Say = Callable[[str], None]

LANES: Final[Mapping[tuple[Placement, Profile], int]] = {
    (Placement.local, Profile.tokenbf): 0,
    (Placement.local, Profile.text): 1,
    (Placement.shards, Profile.tokenbf): 2,
    (Placement.shards, Profile.text): 3,
}
_ALL_FIRST: Final = table_name(LANES[Placement.local, Profile.tokenbf])
_HALF_FIRST: Final = table_name(LANES[Placement.shards, Profile.tokenbf])
_PEERS: Final = (EXPORTER, SIGNOZ, CLICKSTACK)
# The tables remember blocks, and a copy that begins anew has the same ones.
_AGAIN: Final = {"insert_deduplicate": 0}


def source(layout: str, placement: Placement) -> Source:
    """What to read a layout from by hand."""
    is_distributed = placement is Placement.shards
    for profile in Profile:
        if layout == ours(profile):
            table = table_name(LANES[placement, profile])
            return Source(OURS, distributed_name(table) if is_distributed else table, is_distributed)
    found = next(each for each in (*_PEERS, SEVERITY_KEY) if each.name == layout)
    table = _table(found, placement)
    return Source(found, distributed_name(table) if is_distributed else table, is_distributed)


class PlanStore:
    """`settings` are those of the stack with both nodes; the nodes have nothing but this corpus."""

    def __init__(self, settings: Settings, nodes: tuple[Client, Client], corpus: Corpus, clock: Clock, say: Say):
        self._settings = settings
        self._nodes = nodes
        self._corpus = corpus
        self._clock = clock
        self._say = say

    def fill(self) -> None:
        """What is there already stays; a table that a kill left half-full is filled anew."""
        first, rows = self._nodes[0], self._corpus.rows
        for (_, profile), lane in LANES.items():
            for node in self._nodes:
                switch_profile(node, table_name(lane), profile, self._clock, lambda _: None)
        load(first, _ALL_FIRST, self._corpus, self._say, planted_batch)
        first.command(f"OPTIMIZE TABLE {_ALL_FIRST} FINAL")
        whole = {table_name(LANES[Placement.local, Profile.text]): OURS}
        whole |= {self._created(first, layout, Placement.local): layout for layout in (*_PEERS, SEVERITY_KEY)}
        for table, layout in whole.items():
            self._copy(first, layout, table, _ALL_FIRST, rows)
        for number, node in enumerate(self._nodes):
            # The first lane of the second node is empty. Planted words follow the number, so the hash decides.
            half = (
                f"(SELECT * FROM {distributed_name(_ALL_FIRST)} WHERE cityHash64(id) % {len(self._nodes)} = {number})"
            )
            share = int(node.query(f"SELECT count() FROM {half}").result_rows[0][0])
            self._copy(node, OURS, _HALF_FIRST, half, share)
            self._copy(node, OURS, table_name(LANES[Placement.shards, Profile.text]), _HALF_FIRST, share)
            for layout in _PEERS:
                table = self._created(node, layout, Placement.shards)
                self._copy(node, layout, table, _HALF_FIRST, share)
        for layout in _PEERS:
            table = _table(layout, Placement.shards)
            first.command(create_distributed(self._settings, distributed_name(table), table))

    def _created(self, node: Client, layout: Layout, placement: Placement) -> str:
        table = _table(layout, placement)
        node.command(layout.create.format(table=table))
        return table

    def _copy(self, node: Client, layout: Layout, table: str, source_: str, rows: int) -> None:
        if _count(node, table) != rows:
            node.command(f"TRUNCATE TABLE {table}")
            self._say(f"copying {rows:,} records to {table}")
            node.command(layout.copy.format(table=table, source=source_), settings=dict(_AGAIN))
        node.command(f"OPTIMIZE TABLE {table} FINAL")


def _table(layout: Layout, placement: Placement) -> str:
    return f"plans_{layout.name.replace(' ', '_')}" + ("_half" if placement is Placement.shards else "")


def _count(node: Client, table: str) -> int:
    return int(node.query(f"SELECT count() FROM {table}").result_rows[0][0])
