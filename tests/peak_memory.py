"""Measures by how much code raises the memory of this process."""

import ctypes
import gc
import re
import resource
import sys
from pathlib import Path
from typing import Final

_STATUS: Final = Path("/proc/self/status")
_RESET_PEAK: Final = Path("/proc/self/clear_refs")


def reset_peak_memory() -> int:
    """Sets the peak memory of this process to its present memory, and returns that in bytes.

    Without this, a peak of earlier tests would hide a smaller one, and so would memory that they freed and the
    allocator kept. Darwin cannot set the peak: there, returns it as it is.
    """
    gc.collect()
    if sys.platform != "darwin":
        # Only glibc has it. It returns free memory to the kernel.
        if (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)) is not None:
            trim(0)
        # The kernel resets the peak for this text. See proc_pid_clear_refs(5).
        _RESET_PEAK.write_text("5", encoding="ascii")
    return peak_memory()


def peak_memory() -> int:
    """Returns the peak memory of this process in bytes."""
    if sys.platform == "darwin":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = re.search(r"VmHWM:\s+(\d+) kB", _STATUS.read_text(encoding="ascii"))
    assert found is not None
    return int(found[1]) * 1024
