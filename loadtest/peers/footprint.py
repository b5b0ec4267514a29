"""Measures CPU time and peak memory of a side's processes, including their descendants."""

from collections.abc import Mapping

from loadtest.process_stat import family_cpu_seconds, family_status_bytes


def cpu_seconds(pids: Mapping[str, int]) -> dict[str, float]:
    """Returns the CPU seconds of each process since it started. Raises NotFound if one has ended."""
    return {name: family_cpu_seconds(pid) for name, pid in pids.items()}


def peak_bytes(pids: Mapping[str, int]) -> dict[str, int]:
    """Returns the peak of resident memory of each process, in bytes. Raises NotFound if one has ended."""
    return {name: family_status_bytes(pid, "VmHWM") for name, pid in pids.items()}
