"""Chooses the sides of a run: Logsieve, and the peers whose programs are given."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from loadtest.bench import Bench
from loadtest.peers import collector, logsieve, loki, victoria_logs
from loadtest.peers.measure import Start
from schema.clickhouse.index_profiles import Profile


@dataclass(frozen=True, slots=True)
class Programs:
    """Programs of the peers. None excludes a peer from the run."""

    victoria_logs: Path | None
    loki: Path | None
    collector: Path | None


def absent(programs: Programs) -> tuple[str, ...]:
    """Returns the names of the peers without a program."""
    by_name = {
        victoria_logs.NAME: programs.victoria_logs,
        loki.NAME: programs.loki,
        collector.NAME: programs.collector,
    }
    return tuple(name for name, program in by_name.items() if program is None)


def starts(bench: Bench, profile: Profile, programs: Programs) -> list[Start]:
    """Returns the functions that start the sides of the run, Logsieve first."""
    found: list[Start] = [partial(logsieve.logsieve, bench, profile)]
    if programs.victoria_logs is not None:
        found.append(partial(victoria_logs.victoria_logs, programs.victoria_logs))
    if programs.loki is not None:
        found.append(partial(loki.loki, programs.loki))
    if programs.collector is not None:
        found.append(partial(collector.collector, bench, programs.collector))
    return found
