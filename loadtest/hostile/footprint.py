"""Measures the memory of the stack's processes and their descendants: at the start of an attack, and at its peak."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kit.errors import NotFound
from kit.settings import Settings
from loadtest.hostile.report import MIB
from loadtest.process_stat import family, family_status_bytes
from loadtest.services import API, CLICKHOUSE, LOADER, RECEIVER, Services

WATCHED: Final = (RECEIVER, LOADER, API, CLICKHOUSE)

_RESET_PEAK: Final = "5"
"""Text that resets a process's peak to its current size if written to its clear_refs. See proc_pid_clear_refs(5)."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """Resident bytes of each service, summed over its processes.

    The sum of the processes' peaks is at least as large as the peak of their sum.
    """

    before: Mapping[str, int]
    peak: Mapping[str, int]
    ended: tuple[str, ...]
    """Services whose process ended during the measurement. Their peak is that of the next process, or 0 without one."""

    @property
    def growth(self) -> dict[str, int]:
        return {name: max(0, self.peak[name] - self.before[name]) for name in self.before}


def watch_footprint(services: Services) -> Callable[[], Footprint]:
    """Begins to measure the stack's memory, and returns the function that ends it.

    Only one measurement may run at a time, because the kernel keeps one peak per process.
    """
    pids = {name: services.pid(name) for name in WATCHED}
    for each in (each for pid in pids.values() for each in family(pid)):
        with suppress(FileNotFoundError, ProcessLookupError):
            Path(f"/proc/{each}/clear_refs").write_text(_RESET_PEAK)
    before = {name: _bytes(pid, "VmRSS") for name, pid in pids.items()}

    def end() -> Footprint:
        now = {name: services.pid_or_none(name) for name in WATCHED}
        ended = tuple(name for name, pid in now.items() if pid != pids[name])
        return Footprint(before, {name: _bytes(pid, "VmHWM") for name, pid in now.items()}, ended)

    return end


@dataclass(frozen=True, slots=True)
class Bound:
    """Largest memory that the documentation states for a service, in bytes."""

    size: int
    of_growth: bool = True
    """True if `size` bounds the growth over the memory at the start of an attack, false if it bounds the peak."""

    def __str__(self) -> str:
        return f"{self.size / MIB:,.0f} MiB" + (" more than without an attack" if self.of_growth else "")

    def is_exceeded(self, service: str, footprint: Footprint) -> bool:
        return (footprint.growth if self.of_growth else footprint.peak)[service] > self.size


def memory_bounds(settings: Settings) -> dict[str, Bound]:
    """Returns the bounds that docs/operations states under "Kafka", "Loaders" and "Limits of searches"."""
    return {
        # The receiver needs up to twice its budget while it copies messages.
        RECEIVER: Bound(2 * settings.receiver_memory_bytes),
        # The loader has messages, the rows made from them, and fetched messages that are not decoded yet.
        LOADER: Bound(2 * settings.loader_memory_bytes + 64 * MIB),
        # The API has the answer of one statement at its limit, and the objects made from it.
        API: Bound(2 * settings.query_max_result_bytes),
        CLICKHOUSE: Bound(settings.clickhouse_memory_limit, of_growth=False),
    }


def _bytes(pid: int | None, field: str) -> int:
    """Returns a field of a process's memory, or 0 without the process."""
    try:
        return 0 if pid is None else family_status_bytes(pid, field)
    except NotFound:
        return 0
