"""The study: for each layout fill, measure, restart, and go on to more parts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from kit.clickhouse import connect
from kit.clock import Clock
from loadtest.journal import Journal
from loadtest.own_stack import OwnStack
from loadtest.parts.fill import active_parts, clear, fill
from loadtest.parts.layout import Filled, Layout
from loadtest.parts.measure import CONCURRENT, Node, Planning, measure
from loadtest.process_stat import resident_bytes
from loadtest.services import CLICKHOUSE

Say = Callable[[str], None]

GOAL: Final = 1.2
"""Planning at the most parts over planning at the fewest beside it, with lanes."""

MEMORY_SHARE: Final = 2 / 3
"""Of the machine's memory for the server: in one table of 160,000 parts each search has the whole list of parts, and
200 of them at once end a server that may use 6 GiB."""


@dataclass(frozen=True, slots=True)
class Level:
    """A layout at a number of parts. `start_seconds` is from the start of the process until it answers.

    `beside`: the same searches, asked in turn with these, of a second node with the study's fewest parts. Both stand in
    the order of CONCURRENT.
    """

    layout: Layout
    pairs: int
    active_parts: int
    planning: tuple[Planning, ...]
    beside: tuple[Planning, ...]
    start_seconds: float
    resident_bytes: int


@dataclass(frozen=True, slots=True)
class Stacks:
    """The node that gets more and more parts, and the one beside it with the fewest."""

    growing: OwnStack
    beside: OwnStack


@dataclass(frozen=True, slots=True)
class Study:
    """Which layouts are filled, each with these numbers of (tenant, day) pairs."""

    numbers: tuple[int, ...]
    layouts: tuple[Layout, ...]


def run(stacks: Stacks, study: Study, journal: Journal[Level], clock: Clock, say: Say) -> None:
    """A level after the other, for each layout from the fewest parts to the most; the tables are dropped in between.

    Levels that are in the journal are not repeated.
    """
    both = (stacks.growing, stacks.beside)
    for stack in both:
        connect(stack.settings, "default").command("CREATE DATABASE IF NOT EXISTS parts")
    done = {(level.layout, level.pairs) for level in journal.steps}
    for layout in study.layouts:
        for number in sorted(study.numbers):
            if (layout, number) in done:
                continue
            nodes = (
                _filled(stacks.growing, Filled(layout, number), say),
                _filled(stacks.beside, Filled(layout, min(study.numbers)), say),
            )
            parts = active_parts(nodes[0].client)
            measured = [measure(nodes, concurrent) for concurrent in CONCURRENT]
            for node in nodes:
                node.client.close()
            start_seconds = _restart(stacks.growing, clock, say)
            level = Level(
                layout,
                number,
                parts,
                tuple(planning for planning, _ in measured),
                tuple(beside for _, beside in measured),
                start_seconds,
                resident_bytes(stacks.growing.services.pid(CLICKHOUSE)),
            )
            say(_told(level))
            journal.add(level)
        for stack in both:
            with connect(stack.settings, "parts") as client:
                clear(client, layout)


def _filled(stack: OwnStack, filled: Filled, say: Say) -> Node:
    client = connect(stack.settings, "parts")
    fill(client, filled, say)
    return Node(client, stack.settings, filled)


_RESTART_SECONDS: Final = 900


def _restart(stack: OwnStack, clock: Clock, say: Say) -> float:
    """Seconds from the start of the server until it answers."""
    began = clock.monotonic()
    stack.logsieve("down", seconds=_RESTART_SECONDS)
    stopped = clock.monotonic()
    say(f"stopped in {stopped - began:.0f} s")
    patience = ("--timeout", str(_RESTART_SECONDS))
    stack.logsieve("up", "--no-samples", "--json", *patience, CLICKHOUSE, seconds=_RESTART_SECONDS)
    return clock.monotonic() - stopped


def _told(level: Level) -> str:
    times = ", ".join(
        f"{each.concurrent} at once: {each.p50 * 1000:.0f} ms, {growth(level, each.concurrent):.2f} times the CPU"
        for each in level.planning
    )
    return (
        f"{level.layout.value}, {level.active_parts:,} parts: {times}; up in {level.start_seconds:.0f} s,"
        f" {level.resident_bytes / 2**20:.0f} MiB"
    )


def ratio(levels: Sequence[Level], layout: Layout, concurrent: int) -> float | None:
    """Planning CPU at the most parts over that of the node beside it; None with fewer than two levels."""
    own = [level for level in levels if level.layout is layout]
    return growth(own[-1], concurrent) if len(own) > 1 else None


def growth(level: Level, concurrent: int) -> float:
    """Planning CPU over that of the node beside it."""
    place = CONCURRENT.index(concurrent)
    return level.planning[place].planning_cpu / level.beside[place].planning_cpu
