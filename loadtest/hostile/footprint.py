"""Measures the memory of the stack's processes and their descendants: at the start of an attack, and at its peak."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from kit.errors import NotFound
from kit.settings import Settings
from loadtest.process_stat import family, family_status_bytes
from loadtest.services import CLICKHOUSE, LOADER, RECEIVER, Services

API: Final = "api"
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


class FootprintWatch:
    """Measures the stack's memory from construction to `end`.

    Only one measurement may run at a time, because the kernel keeps one peak per process.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._pids = {name: services.pid(name) for name in WATCHED}
        for each in (each for pid in self._pids.values() for each in family(pid)):
            with suppress(FileNotFoundError, ProcessLookupError):
                Path(f"/proc/{each}/clear_refs").write_text(_RESET_PEAK)
        self._before = {name: _bytes(pid, "VmRSS") for name, pid in self._pids.items()}

    def end(self) -> Footprint:
        now = {name: self._services.pid_or_none(name) for name in WATCHED}
        ended = tuple(name for name, pid in now.items() if pid != self._pids[name])
        peaks = {name: 0 if pid is None else _bytes(pid, "VmHWM") for name, pid in now.items()}
        return Footprint(self._before, peaks, ended)


@dataclass(frozen=True, slots=True)
class MemoryBounds:
    """Largest memory that the documentation states, in bytes, by service. `total` bounds the peak itself."""

    growth: Mapping[str, int]
    """Largest growth over the memory at the start of an attack."""
    total: Mapping[str, int]

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Returns the bounds that docs/operations.md states under "Kafka", "Loaders" and "Limits of searches"."""
        return cls(
            growth={
                # The receiver needs up to twice its budget while it copies messages.
                RECEIVER: 2 * settings.receiver_memory_bytes,
                # The loader has messages, the rows made from them, and fetched messages that are not decoded yet.
                LOADER: 2 * settings.loader_memory_bytes + 64 * 2**20,
                # The API has the answer of one statement at its limit, and the objects made from it.
                API: 2 * settings.query_max_result_bytes,
            },
            total={CLICKHOUSE: settings.clickhouse_memory_limit},
        )

    def in_words(self) -> dict[str, str]:
        """Returns the bound of each service as text."""
        grown = {name: f"{bound / 2**20:,.0f} MiB more than unattacked" for name, bound in self.growth.items()}
        return grown | {name: f"{bound / 2**20:,.0f} MiB" for name, bound in self.total.items()}

    def exceeded_by(self, footprint: Footprint) -> list[str]:
        """Returns the names of the services whose memory exceeded their bound."""
        grown = [name for name, bound in self.growth.items() if footprint.growth[name] > bound]
        return grown + [name for name, bound in self.total.items() if footprint.peak[name] > bound]


def _bytes(pid: int, field: str) -> int:
    try:
        return family_status_bytes(pid, field)
    except NotFound:
        return 0
