"""What the kernel has counted for a process: proc_pid_stat(5). Linux only, like the measurements that need it."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from kit.errors import NotFound


@dataclass(frozen=True, slots=True)
class ProcessStat:
    """One line of /proc/<pid>/stat. `cpu_seconds` is user and system time of all its threads and its ended children."""

    parent: int
    cpu_seconds: float

    @classmethod
    def parse(cls, line: str, ticks_per_second: int) -> Self:
        """The program's name, in brackets, may itself hold blanks and brackets; what counts comes after the last."""
        fields = line.rpartition(")")[2].split()
        # Fields 14 to 17 of the line (utime, stime, cutime, cstime); the first after the bracket is field 3.
        ticks = sum(int(field) for field in fields[11:15])
        return cls(parent=int(fields[1]), cpu_seconds=ticks / ticks_per_second)


def read_stat(pid: int) -> ProcessStat:
    """Raises NotFound when there is no such process."""
    try:
        line = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        raise NotFound(f"process {pid} has ended") from None
    return ProcessStat.parse(line, os.sysconf("SC_CLK_TCK"))
