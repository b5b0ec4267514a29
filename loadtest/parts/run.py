"""Runs the study: adds parts to a node, measures searches and a restart, and repeats this with more parts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from clickhouse_connect.driver.client import Client

from kit.clickhouse import connect
from loadtest.bare_table import count_rows
from loadtest.bench import Bench, Say
from loadtest.journal import Journal
from loadtest.own_stack import OwnStack
from loadtest.parts.layout import Filled, Layout, create_table, insert
from loadtest.parts.measure import CONCURRENT, Node, measure
from loadtest.parts.study import LAYOUTS, Level
from loadtest.process_stat import resident_bytes
from loadtest.services import CLICKHOUSE

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
    """Layouts to measure, and the numbers of (tenant, day) pairs to measure each with."""

    numbers: tuple[int, ...]
    layouts: tuple[Layout, ...]
    concurrent: tuple[int, ...] = field(default=CONCURRENT, repr=False)
    """Numbers of concurrent searches. They are not part of the repr, because journals of earlier studies have it."""


def run_levels(
    bench: Bench, growing: OwnStack, beside: OwnStack, study: Study, journal: Journal[Level]
) -> Sequence[Level]:
    """Measures each layout at each number of pairs, from the fewest to the most. Returns all levels.

    `growing` gets more pairs for each level, `beside` keeps the fewest. Tables of a layout are dropped after its last
    level. Levels that the journal already has are not repeated.
    """
    for stack in (growing, beside):
        connect(stack.settings, "default").command("CREATE DATABASE IF NOT EXISTS parts")
    done = {(level.layout, level.pairs) for level in journal.steps}
    for layout in study.layouts:
        for number in sorted(study.numbers):
            if (layout.value, number) not in done:
                filled = (Filled(layout, number), Filled(layout, min(study.numbers)))
                journal.add(_level(bench, growing, beside, filled, study.concurrent))
        for stack in (growing, beside):
            with connect(stack.settings, "parts") as client:
                _clear(client, layout)
    return journal.steps


def _level(
    bench: Bench, growing: OwnStack, beside: OwnStack, filled: tuple[Filled, Filled], concurrent: Sequence[int]
) -> Level:
    nodes = [_node(stack, each, bench.say) for stack, each in zip((growing, beside), filled, strict=True)]
    parts = count_rows(nodes[0].client, "system.parts WHERE active")
    measured = [measure(nodes, number) for number in concurrent]
    for node in nodes:
        node.client.close()
    level = Level(
        layout=filled[0].layout.value,
        pairs=filled[0].parts,
        active_parts=parts,
        planning=tuple(planning for planning, _ in measured),
        beside=tuple(planning for _, planning in measured),
        start_seconds=_restart(bench, growing),
        resident_bytes=resident_bytes(growing.services.pid(CLICKHOUSE)),
    )
    growth = f"{level.growths[0]:.2f} times the CPU"
    bench.say(f"{LAYOUTS[level.layout]}, {parts:,} parts: {growth}, started in {level.start_seconds:.0f} s")
    return level


def _node(stack: OwnStack, filled: Filled, say: Say) -> Node:
    client = connect(stack.settings, "parts")
    _fill(client, filled, say)
    return Node(client, stack.settings, filled)


def _fill(client: Client, filled: Filled, say: Say) -> None:
    """Creates the tables and adds the pairs that they lack. Each pair is one row."""
    share = filled.parts // filled.tables
    done = 0
    for number in range(filled.tables):
        table = filled.table(number)
        client.command(create_table(table))
        client.command(f"SYSTEM STOP MERGES {table}")
        present = count_rows(client, table)
        for first in range(present, share, _AT_ONCE):
            client.command(insert(filled, number, first, min(_AT_ONCE, share - first)))
            done += _AT_ONCE
            if done % _PROGRESS_EVERY == 0:
                say(f"{LAYOUTS[filled.layout]}: {done:,} parts added")


def _clear(client: Client, layout: Layout) -> None:
    """Drops all tables of a layout."""
    names = client.query(
        "SELECT name FROM system.tables WHERE database = currentDatabase() AND startsWith(name, {prefix:String})",
        parameters={"prefix": f"parts_{layout.value}_"},
    ).result_rows
    for (name,) in names:
        client.command(f"DROP TABLE {name} SYNC", settings={"max_table_size_to_drop": 0})


def _restart(bench: Bench, stack: OwnStack) -> float:
    """Restarts the server. Returns the seconds from its start until it answers."""
    started = bench.clock.monotonic()
    stack.logsieve("down", seconds=_RESTART_SECONDS)
    stopped = bench.clock.monotonic()
    bench.say(f"stopped in {stopped - started:.0f} s")
    patience = ("--timeout", str(_RESTART_SECONDS))
    stack.logsieve("up", "--no-samples", "--json", *patience, CLICKHOUSE, seconds=_RESTART_SECONDS)
    return bench.clock.monotonic() - stopped
