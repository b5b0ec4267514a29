"""Checks the open files of the ClickHouse nodes and the broker that `up` started, against the limit of each process."""

from typing import Final

import psutil

from kit.settings import Settings
from stack.doctor.finding import Bounds, Finding, Level, graded
from stack.processes import is_running
from stack.state import read_state, state_file

OPEN: Final = Bounds(0.7, 0.9, "raise the limit of open files (`ulimit -n`) of the shell that starts the stack")
"""Used share of a process's limit. A process at its limit accepts no connection and opens no part."""

STORES: Final = ("clickhouse", "kafka")


def descriptor_findings(settings: Settings) -> list[Finding]:
    """Returns a finding for each store that `up` started and that runs; none for stores elsewhere."""
    state = read_state(state_file(settings))
    findings = []
    for service in state.services if state is not None else ():
        if not service.name.startswith(STORES) or service.process is None or not is_running(service.process):
            continue
        try:
            process = psutil.Process(service.process.pid)
            limit, _ = process.rlimit(psutil.RLIMIT_NOFILE)
            findings.append(judge_descriptors(service.name, process.num_fds(), limit))
        except (psutil.Error, AttributeError):
            # The process has just ended, belongs to another user, or runs on a system that does not report limits.
            continue
    return findings


def judge_descriptors(service: str, used: int, limit: int) -> Finding:
    """Rates a process by its number of open files and its soft limit of open files."""
    about = f"open files of {service}"
    if limit == psutil.RLIM_INFINITY:
        return Finding(about, Level.ok, f"{used} are open, without a limit")
    return graded(about, used / max(limit, 1), OPEN, f"{used} of {limit} are open")
