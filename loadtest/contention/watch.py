"""Watches a server while it works: its lock waits, the stacks of its threads, and how many of them the kernel runs."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from clickhouse_connect.driver.client import Client

from kit.clickhouse import connect
from kit.profile.read_samples import Selection, read_snapshot
from kit.profile.stacks import Sample
from kit.settings import Settings
from loadtest.background import repeating
from loadtest.contention.study import LOCKS, Moment

_PAUSE_SECONDS: Final = 0.5
_STATES_SECONDS: Final = 0.2


@dataclass(slots=True)
class Watched:
    """Lock waits, sampled stacks and thread counts of one phase."""

    samples: list[Sample] = field(default_factory=list)
    snapshots: int = 0
    unanswered: int = 0
    moments: list[Moment] = field(default_factory=list)
    running: list[int] = field(default_factory=list)
    """Threads that ran or waited for a core by the kernel's count, several times a second."""
    _last: tuple[float, Mapping[str, int]] | None = None

    def add_waits(self, seconds: float, waited: Mapping[str, int]) -> None:
        """Adds the lock waits, in microseconds since the server's start, at a number of seconds of the server's clock.

        The first call sets the beginning.
        """
        if self._last is not None and seconds > self._last[0]:
            before, then = self._last[1], self._last[0]
            threads = {
                name: (waited.get(event, 0) - before.get(event, 0)) / 1e6 / (seconds - then)
                for name, event in LOCKS.items()
            }
            so_far = self.moments[-1].second if self.moments else 0.0
            self.moments.append(Moment(second=so_far + seconds - then, waiting=threads))
        self._last = (seconds, dict(waited))


@contextmanager
def watching(settings: Settings, pid: int) -> Iterator[Watched]:
    """Watches the server with this pid during the block, and until the snapshot that runs at its end is complete.

    Lock waits and states are counted until then, so that they are from the same time as the stacks. An error of a
    watching thread is raised at the end.
    """
    watched = Watched()
    with connect(settings, "default") as for_stacks, connect(settings, "default") as for_events:
        repeated = (
            repeating("waits", lambda: _add_waits(for_events, watched), _PAUSE_SECONDS),
            repeating("states", lambda: watched.running.append(running_threads(pid)), _STATES_SECONDS),
            repeating("stacks", lambda: _add_snapshot(for_stacks, watched), _PAUSE_SECONDS),
        )
        with ExitStack() as threads:
            # The thread that is started last is stopped first.
            for each in repeated:
                threads.enter_context(each)
            yield watched
        _add_waits(for_events, watched)


def running_threads(pid: int) -> int:
    """Returns how many threads of a process run or wait for a core (state R) or for a disk (state D).

    The states are those in /proc/PID/task/TID/stat, see proc_pid_stat(5).
    """
    running = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has just ended
            running += (task / "stat").read_text().rpartition(") ")[2][0] in "RD"
    return running


def _add_snapshot(client: Client, watched: Watched) -> None:
    snapshot = read_snapshot(client, Selection())
    watched.samples += snapshot.samples
    watched.unanswered += snapshot.unanswered
    watched.snapshots += 1


def _add_waits(client: Client, watched: Watched) -> None:
    rows = client.query(
        "SELECT toFloat64(now64(6)), event, value FROM system.events WHERE event IN {events:Array(String)}",
        parameters={"events": list(LOCKS.values())},
        settings={"system_events_show_zero_values": 1, "log_queries": 0},
    ).result_rows
    watched.add_waits(float(rows[0][0]), {str(event): int(value) for _, event, value in rows})
