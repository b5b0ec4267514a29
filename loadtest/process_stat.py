"""Reads CPU time, memory and descendants of a process from the kernel."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import psutil

from kit.errors import NotFound


def parent(pid: int) -> int:
    """Returns the pid of a process's parent. Raises NotFound if the process has ended."""
    return _process(pid).ppid()


def family(pid: int) -> list[int]:
    """Returns the pids of a process and its living descendants. Raises NotFound if the process has ended."""
    return [each.pid for each in _family(pid)]


def family_cpu_seconds(pid: int) -> float:
    """Returns the user and system time, in seconds, of a process and of its living and reaped descendants.

    Raises NotFound if the process has ended.
    """
    return sum(_cpu_seconds(each) for each in _family(pid))


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


def resident_bytes(pid: int) -> int:
    """Returns the resident bytes of a process. Raises NotFound if it has ended."""
    try:
        return int(_process(pid).memory_info().rss)
    except psutil.NoSuchProcess:
        raise _ended(pid) from None


def _process(pid: int) -> psutil.Process:
    try:
        return psutil.Process(pid)
    except psutil.NoSuchProcess:
        raise _ended(pid) from None


def _family(pid: int) -> list[psutil.Process]:
    own = _process(pid)
    try:
        return [own, *own.children(recursive=True)]
    except psutil.NoSuchProcess:
        raise _ended(pid) from None


def _cpu_seconds(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0  # The process has just ended, and its time now counts as that of its parent's children.
    return float(times.user + times.system + times.children_user + times.children_system)


def _status_bytes(pid: int, field: str) -> int:
    with suppress(FileNotFoundError, ProcessLookupError):  # a descendant that has just ended has no memory
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            name, _, value = line.partition(":")
            if name == field:
                return int(value.split()[0]) * 1024
    return 0


def _ended(pid: int) -> NotFound:
    return NotFound(f"process {pid} has ended")
