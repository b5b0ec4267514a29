"""Measures CPU time and peak memory of a side's processes, including their descendants."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from loadtest.process_stat import family, family_cpu_seconds

_PEAK: Final = "VmHWM:"


def cpu_seconds(pids: Mapping[str, int]) -> dict[str, float]:
    """Returns the CPU seconds of each process since it started. Raises NotFound if one has ended."""
    return {name: family_cpu_seconds(pid) for name, pid in pids.items()}


def peak_bytes(pids: Mapping[str, int]) -> dict[str, int]:
    """Returns the peak of resident memory of each process, in bytes. Raises NotFound if one has ended."""
    return {name: sum(_peak(each) for each in family(pid)) for name, pid in pids.items()}


def _peak(pid: int) -> int:
    """Returns VmHWM of /proc/PID/status in bytes, or 0 for a process that has ended. See proc_pid_status(5)."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return next((int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith(_PEAK)), 0)
