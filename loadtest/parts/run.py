"""Runs the study: adds parts to a node, measures searches and a restart, and repeats this with more parts."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Final

from clickhouse_connect.driver.client import Client

from kit.clickhouse import connect
from kit.settings import Settings
from kit.topology import Place
from loadtest.bare_table import count_rows
from loadtest.bench import Bench, Say
from loadtest.journal import Journal
from loadtest.own_stack import OwnStack
from loadtest.parts.layout import Filled, Layout, create_table, insert
from loadtest.parts.measure import CONCURRENT, Node, measure
from loadtest.parts.study import LAYOUTS, Level
from loadtest.process_stat import resident_bytes
from loadtest.services import node_name

MEMORY_SHARE: Final = 2 / 3
"""Share of the machine's memory that the growing server may use.

In one table of 160,000 parts, each search holds a list of all parts, and 200 concurrent searches exceed 6 GiB.
"""
_AT_ONCE: Final = 1_000
"""Largest number of pairs that one insert adds."""
_PROGRESS_EVERY: Final = 10_000
_RESTART_SECONDS: Final = 900


@dataclass(frozen=True, slots=True)
class Study:
    """Layouts to measure, the numbers of (tenant, day) pairs to measure each with, and the number of servers over which
    these are divided."""

    numbers: tuple[int, ...]
    layouts: tuple[Layout, ...]
    nodes: int = 1
    concurrent: tuple[int, ...] = field(default=CONCURRENT, repr=False)
    """Numbers of concurrent searches. They are not part of the repr, because journals of earlier studies have it."""


def run_levels(
    bench: Bench, growing: OwnStack, beside: OwnStack, study: Study, journal: Journal[Level]
) -> Sequence[Level]:
    """Measures each layout at each number of pairs, from the fewest to the most. Returns all levels.

    `growing` gets more pairs for each level, `beside` keeps the fewest. Tables of a layout are dropped after its last
    level. Levels that the journal already has are not repeated.
    """
    servers = [*_shards(growing, study.nodes), (beside.settings, 0)]
    for settings, shard in servers:
        with connect(settings, "default", shard=shard) as client:
            client.command("CREATE DATABASE IF NOT EXISTS parts")
    done = {(level.layout, level.pairs) for level in journal.steps}
    for layout in study.layouts:
        for number in sorted(study.numbers):
            if (layout.value, number) not in done:
                journal.add(_level(bench, growing, beside, study, Filled(layout, number)))
        for settings, shard in servers:
            with connect(settings, "parts", shard=shard) as client:
                _clear(client, layout)
    return journal.steps


def _level(bench: Bench, growing: OwnStack, beside: OwnStack, study: Study, filled: Filled) -> Level:
    share = Filled(filled.layout, filled.parts // study.nodes)
    fewest = Filled(filled.layout, min(study.numbers) // study.nodes)
    servers = [(*server, share) for server in _shards(growing, study.nodes)] + [(beside.settings, 0, fewest)]
    with ExitStack() as clients:
        nodes = [
            Node(clients.enter_context(connect(settings, "parts", shard=shard)), settings, shard, content)
            for settings, shard, content in servers
        ]
        for number, node in enumerate(nodes, start=1):
            _fill(node.client, node.filled, f"{LAYOUTS[filled.layout]}, node {number} of {len(nodes)}", bench.say)
        parts = sum(count_rows(node.client, "system.parts WHERE active") for node in nodes[:-1])
        measured = [measure(nodes, concurrent) for concurrent in study.concurrent]
    level = Level(
        layout=filled.layout.value,
        pairs=filled.parts,
        nodes=study.nodes,
        active_parts=parts,
        planning=tuple(max(each[:-1], key=lambda planning: planning.planning_cpu) for each in measured),
        beside=tuple(each[-1] for each in measured),
        start_seconds=_restart(bench, growing, study.nodes),
        resident_bytes=sum(resident_bytes(growing.services.pid(name)) for name in services(study.nodes)),
    )
    growth = f"{level.growths[0]:.2f} times the CPU"
    bench.say(f"{LAYOUTS[level.layout]}, {parts:,} parts: {growth}, started in {level.start_seconds:.0f} s")
    return level


def _shards(stack: OwnStack, nodes: int) -> list[tuple[Settings, int]]:
    return [(stack.settings, shard) for shard in range(nodes)]


def services(nodes: int) -> list[str]:
    """Returns the names of the services that run the growing node's servers."""
    return [node_name(Place(shard, 0)) for shard in range(nodes)]


def _fill(client: Client, filled: Filled, name: str, say: Say) -> None:
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


def _clear(client: Client, layout: Layout) -> None:
    """Drops all tables of a layout."""
    names = client.query(
        "SELECT name FROM system.tables WHERE database = currentDatabase() AND startsWith(name, {prefix:String})",
        parameters={"prefix": f"parts_{layout.value}_"},
    ).result_rows
    for (name,) in names:
        client.command(f"DROP TABLE {name} SYNC", settings={"max_table_size_to_drop": 0})


def _restart(bench: Bench, stack: OwnStack, nodes: int) -> float:
    """Restarts all servers. Returns the seconds from their start until they answer."""
    started = bench.clock.monotonic()
    stack.logsieve("down", seconds=_RESTART_SECONDS)
    stopped = bench.clock.monotonic()
    bench.say(f"stopped in {stopped - started:.0f} s")
    patience = ("--timeout", str(_RESTART_SECONDS))
    stack.logsieve("up", "--no-samples", "--json", *patience, *services(nodes), seconds=_RESTART_SECONDS)
    return bench.clock.monotonic() - stopped
