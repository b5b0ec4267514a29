"""Reads CPU time, memory and descendants of a process from the kernel."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from kit.errors import NotFound


def family(pid: int) -> list[int]:
    """Returns the pids of a process and its living descendants. Raises NotFound if the process has ended."""
    with _living(pid) as process:
        return [each.pid for each in (process, *process.children(recursive=True))]


def family_cpu_seconds(pid: int) -> float:
    """Returns the user and system time, in seconds, of a process and of its living and reaped descendants.

    Raises NotFound if the process has ended.
    """
    seconds = 0.0
    for each in family(pid):
        # The time of a descendant that has just ended now counts as that of its parent's children.
        with suppress(psutil.NoSuchProcess):
            times = psutil.Process(each).cpu_times()
            seconds += times.user + times.system + times.children_user + times.children_system
    return seconds


def family_status_bytes(pid: int, field: str) -> int:
    """Returns a field of /proc/PID/status in bytes, summed over a process and its living descendants.

    Fields are in proc_pid_status(5), such as VmRSS. Raises NotFound if the process has ended.
    """
    return sum(_status_bytes(each, field) for each in family(pid))


def cpu_seconds(pids: Mapping[str, int]) -> dict[str, float]:
    """Returns `family_cpu_seconds` of each process, by name."""
    return {name: family_cpu_seconds(pid) for name, pid in pids.items()}


def peak_bytes(pids: Mapping[str, int]) -> dict[str, int]:
    """Returns the peak of resident memory of each process and its descendants in bytes, by name."""
    return {name: family_status_bytes(pid, "VmHWM") for name, pid in pids.items()}


@contextmanager
def _living(pid: int) -> Iterator[psutil.Process]:
    try:
        yield psutil.Process(pid)
    except psutil.NoSuchProcess:
        raise NotFound(f"process {pid} has ended") from None


def _status_bytes(pid: int, field: str) -> int:
    with suppress(FileNotFoundError, ProcessLookupError):  # a descendant that has just ended has no memory
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            name, _, value = line.partition(":")
            if name == field:
                return int(value.split()[0]) * 1024
    return 0
