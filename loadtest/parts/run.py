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
from loadtest.parts.measure import CONCURRENT, Planning, measure
from loadtest.process_stat import resident_bytes
from loadtest.services import CLICKHOUSE

Say = Callable[[str], None]

GOAL: Final = 1.2
"""Planning at the most parts over planning at the fewest, with lanes (design.md, numbers to reach)."""

MEMORY_SHARE: Final = 2 / 3
"""Of the machine's memory for the server: in one table of 160,000 parts each search has the whole list of parts, and
200 of them at once end a server that may use 6 GiB."""


@dataclass(frozen=True, slots=True)
class Level:
    """A layout at a number of parts. `start_seconds` is from the start of the process until it answers."""

    layout: Layout
    pairs: int
    active_parts: int
    planning: tuple[Planning, ...]
    start_seconds: float
    resident_bytes: int


@dataclass(frozen=True, slots=True)
class Study:
    """Which layouts are filled, each with these numbers of (tenant, day) pairs."""

    numbers: tuple[int, ...]
    layouts: tuple[Layout, ...]


def run(stack: OwnStack, study: Study, journal: Journal[Level], clock: Clock, say: Say) -> None:
    """A level after the other, for each layout from the fewest parts to the most; the tables are dropped in between.

    Levels that are in the journal are not repeated.
    """
    connect(stack.settings, "default").command("CREATE DATABASE IF NOT EXISTS parts")
    done = {(level.layout, level.pairs) for level in journal.steps}
    for layout in study.layouts:
        for number in sorted(study.numbers):
            if (layout, number) in done:
                continue
            filled = Filled(layout, number)
            client = connect(stack.settings, "parts")
            fill(client, filled, say)
            parts = active_parts(client)
            planning = tuple(measure(client, stack.settings, filled, concurrent) for concurrent in CONCURRENT)
            client.close()
            began = clock.monotonic()
            stack.logsieve("down", seconds=_RESTART_SECONDS)
            stopped = clock.monotonic()
            stack.logsieve(
                "up", "--no-samples", "--json", "--timeout", str(_RESTART_SECONDS), CLICKHOUSE, seconds=_RESTART_SECONDS
            )
            level = Level(
                layout,
                number,
                parts,
                planning,
                clock.monotonic() - stopped,
                resident_bytes(stack.services.pid(CLICKHOUSE)),
            )
            say(_told(level, stopped - began))
            journal.add(level)
        client = connect(stack.settings, "parts")
        clear(client, layout)
        client.close()


_RESTART_SECONDS: Final = 900


def _told(level: Level, stop_seconds: float) -> str:
    times = ", ".join(f"{each.concurrent}: {each.p50 * 1000:.0f} ms" for each in level.planning)
    return (
        f"{level.layout.value}, {level.active_parts:,} parts: {times}; stopped in {stop_seconds:.0f} s, up in"
        f" {level.start_seconds:.0f} s, {level.resident_bytes / 2**20:.0f} MiB"
    )


def ratio(levels: Sequence[Level], layout: Layout, concurrent: int) -> float | None:
    """Planning CPU at the most parts over that at the fewest; None with fewer than two levels."""
    own = [level for level in levels if level.layout is layout]
    if len(own) < 2:
        return None
    first, last = (
        next(each.planning_cpu for each in level.planning if each.concurrent == concurrent)
        for level in (own[0], own[-1])
    )
    return last / first
