"""Memory of the stack's processes, each with its descendants: before, and at its peak meanwhile."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from kit.errors import NotFound, Unavailable
from kit.settings import Settings
from loadtest.process_stat import family
from loadtest.services import CLICKHOUSE, LOADER, RECEIVER, Services

API: Final = "api"
WATCHED: Final = (RECEIVER, LOADER, API, CLICKHOUSE)

_RESET_PEAK: Final = "5"
"""Value that sets a process's peak to its present size, when written to clear_refs: proc_pid_clear_refs(5)."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """Bytes in RAM by service, as sums over its processes. A sum of peaks is never less than the peak of the sum."""

    before: Mapping[str, int]
    peak: Mapping[str, int]
    ended: tuple[str, ...]
    """Services whose process ended meanwhile; their peak is that of the process that took its place, if any."""

    @property
    def growth(self) -> dict[str, int]:
        return {name: max(0, self.peak[name] - self.before[name]) for name in self.before}


class FootprintWatch:
    """Measures from its construction to `end`.

    Only one may exist at a time, because the kernel keeps one peak a process.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._pids = {name: services.pid(name) for name in WATCHED}
        for each in (each for pid in self._pids.values() for each in family(pid)):
            with suppress(FileNotFoundError, ProcessLookupError):
                Path(f"/proc/{each}/clear_refs").write_text(_RESET_PEAK)
        self._before = {name: _bytes(pid, "VmRSS") for name, pid in self._pids.items()}

    def end(self) -> Footprint:
        now = {name: self._pid(name) for name in WATCHED}
        ended = tuple(name for name, pid in now.items() if pid != self._pids[name])
        peaks = {name: 0 if pid is None else _bytes(pid, "VmHWM") for name, pid in now.items()}
        return Footprint(self._before, peaks, ended)

    def _pid(self, name: str) -> int | None:
        try:
            return self._services.pid(name)
        except Unavailable:
            return None


@dataclass(frozen=True, slots=True)
class MemoryBounds:
    """Largest sizes, in bytes, that the documentation states, by service."""

    growth: Mapping[str, int]
    """Growth over what the process has when nothing attacks."""
    total: Mapping[str, int]

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Returns the bounds that docs/operations.md states under "Kafka", "Loaders" and "Limits of searches"."""
        return cls(
            growth={
                # Twice the budget at most, while messages are copied.
                RECEIVER: 2 * settings.receiver_memory_bytes,
                # Memory of messages, of the rows made from them, and of fetched messages that are not decoded yet.
                LOADER: 2 * settings.loader_memory_bytes + 64 * 2**20,
                # The answers of one statement at its limit, and what is made of them.
                API: 2 * settings.query_max_result_bytes,
            },
            total={CLICKHOUSE: settings.clickhouse_memory_limit},
        )

    def in_words(self) -> dict[str, str]:
        """Returns the bounds by service, for a report."""
        grown = {name: f"{bound / 2**20:,.0f} MiB more than unattacked" for name, bound in self.growth.items()}
        return grown | {name: f"{bound / 2**20:,.0f} MiB" for name, bound in self.total.items()}

    def exceeded_by(self, footprint: Footprint) -> list[str]:
        """Returns the names of services that had more."""
        grown = [name for name, bound in self.growth.items() if footprint.growth[name] > bound]
        return grown + [name for name, bound in self.total.items() if footprint.peak[name] > bound]


def _bytes(pid: int, field: str) -> int:
    try:
        return sum(_status_bytes(each, field) for each in family(pid))
    except NotFound:
        return 0


def _status_bytes(pid: int, field: str) -> int:
    """Reads a line of proc_pid_status(5); 0 for a process that has ended."""
    with suppress(FileNotFoundError, ProcessLookupError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            name, _, value = line.partition(":")
            if name == field:
                return int(value.split()[0]) * 1024
    return 0
