"""CPU time, memory and descendants of a process, as the kernel counts them."""

import psutil

from kit.errors import NotFound


def parent(pid: int) -> int:
    """Returns the pid of a process's parent. Raises NotFound when there is no such process."""
    return _process(pid).ppid()


def family(pid: int) -> list[int]:
    """Returns a process and its living descendants, by pid. Raises NotFound when there is no such process."""
    return [each.pid for each in _family(pid)]


def family_cpu_seconds(pid: int) -> float:
    """Returns the user and system time of a process and its descendants, living and reaped, in seconds.

    Raises NotFound when there is no such process.
    """
    return sum(_cpu_seconds(each) for each in _family(pid))


def resident_bytes(pid: int) -> int:
    """Returns the bytes of RAM that a process has. Raises NotFound when there is no such process."""
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
        return 0.0  # It ended just now, and counts with its parent from then on.
    return float(times.user + times.system + times.children_user + times.children_system)


def _ended(pid: int) -> NotFound:
    return NotFound(f"process {pid} has ended")
