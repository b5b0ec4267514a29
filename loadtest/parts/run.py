"""Runs the comparison: adds parts to a node, measures searches and a restart, and repeats this with more parts."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final

from kit.clickhouse import connect
from kit.settings import Settings
from kit.topology import Place
from loadtest.bare_table import count_rows
from loadtest.bench import Bench
from loadtest.journal import Journal
from loadtest.own_stack import OwnStack
from loadtest.parts.layout import Filled, Layout, fill
from loadtest.parts.measure import Node, measure
from loadtest.parts.study import LAYOUTS, Level
from loadtest.process_stat import family_status_bytes
from loadtest.services import node_name

MEMORY_SHARE: Final = 2 / 3
"""Share of the machine's memory that the growing server may use.

In one table of 160,000 parts, each search holds a list of all parts, and 200 concurrent searches exceed 6 GiB.
"""
_LOADED_SECONDS: Final = 900
"""Longest time, in seconds, that a server may take to drop all tables."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Layouts to measure, the numbers of (tenant, day) pairs to measure each with, the number of servers over which
    these are divided, and the numbers of concurrent searches."""

    numbers: tuple[int, ...]
    layouts: tuple[Layout, ...]
    nodes: int
    concurrent: tuple[int, ...]


def run_levels(
    bench: Bench, growing: OwnStack, beside: OwnStack, comparison: Comparison, journal: Journal[Level]
) -> Sequence[Level]:
    """Measures each layout at each number of pairs, from the fewest to the most. Returns all levels.

    `growing` gets more pairs for each level, `beside` keeps the fewest. The tables of a layout are dropped after its
    last level. Levels that the journal already has are not repeated.
    """
    servers = _servers(growing, beside, comparison)
    done = {(level.layout, level.pairs) for level in journal.steps}
    for layout in comparison.layouts:
        _run_on(servers, "CREATE DATABASE IF NOT EXISTS parts")
        for number in sorted(comparison.numbers):
            if (layout.value, number) not in done:
                journal.add(_level(bench, growing, beside, comparison, Filled(layout, number)))
        _run_on(servers, "DROP DATABASE IF EXISTS parts SYNC")
    return journal.steps


def _run_on(servers: Sequence[tuple[Settings, int]], statement: str) -> None:
    for settings, shard in servers:
        with connect(settings, "default", shard, _LOADED_SECONDS) as client:
            client.command(statement, settings={"max_table_size_to_drop": 0})


def _level(bench: Bench, growing: OwnStack, beside: OwnStack, comparison: Comparison, filled: Filled) -> Level:
    share, fewest = (
        Filled(filled.layout, parts // comparison.nodes) for parts in (filled.parts, min(comparison.numbers))
    )
    contents = [share] * comparison.nodes + [fewest]
    with ExitStack() as clients:
        nodes = [
            Node(clients.enter_context(connect(settings, "parts", shard)), settings, shard, content)
            for (settings, shard), content in zip(_servers(growing, beside, comparison), contents, strict=True)
        ]
        for number, node in enumerate(nodes, start=1):
            fill(node.client, node.filled, f"{LAYOUTS[filled.layout]}, node {number} of {len(nodes)}", bench.say)
        parts = sum(count_rows(node.client, "system.parts WHERE active") for node in nodes[:-1])
        measured = [measure(nodes, concurrent) for concurrent in comparison.concurrent]
    level = Level(
        layout=filled.layout.value,
        pairs=filled.parts,
        nodes=comparison.nodes,
        active_parts=parts,
        planning=tuple(max(each[:-1], key=lambda planning: planning.planning_cpu) for each in measured),
        beside=tuple(each[-1] for each in measured),
        start_seconds=_restart(bench, growing, comparison.nodes),
        resident_bytes=sum(
            family_status_bytes(growing.services.pid(name), "VmRSS") for name in services(comparison.nodes)
        ),
    )
    bench.say(f"{LAYOUTS[level.layout]}, {parts:,} parts: {level.growths[0]:.2f} times the CPU")
    return level


def _servers(growing: OwnStack, beside: OwnStack, comparison: Comparison) -> list[tuple[Settings, int]]:
    """Returns the settings and the shard of each server. The last one is `beside`."""
    return [*((growing.settings, shard) for shard in range(comparison.nodes)), (beside.settings, 0)]


def services(nodes: int) -> list[str]:
    """Returns the names of the services that run the growing node's servers."""
    return [node_name(Place(shard, 0)) for shard in range(nodes)]


def _restart(bench: Bench, stack: OwnStack, nodes: int) -> float:
    """Restarts all servers. Returns the seconds from their start until they answer."""
    stack.stop()
    stopped = bench.clock.monotonic()
    stack.start(*services(nodes))
    return bench.clock.monotonic() - stopped
