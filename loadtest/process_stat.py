"""What the kernel has counted for a process: proc_pid_stat(5). Linux only, like the measurements that need it."""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from kit.errors import NotFound


@dataclass(frozen=True, slots=True)
class ProcessStat:
    """One line of /proc/<pid>/stat. `cpu_seconds` is user and system time of its threads and its reaped children."""

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


def family_cpu_seconds(pid: int) -> float:
    """CPU seconds of a process and of all that descend from it, living and reaped.

    Raises NotFound when there is no such process.
    """
    return sum(stat.cpu_seconds for stat in family(pid).values())


def family(pid: int) -> dict[int, ProcessStat]:
    """A process and all that descend from it and live, by pid. Raises NotFound when there is no such process."""
    found = {pid: read_stat(pid)}
    children: dict[int, dict[int, ProcessStat]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(NotFound):  # it ended just now, and counts with its parent
                stat = read_stat(int(entry.name))
                children.setdefault(stat.parent, {})[int(entry.name)] = stat
    parents = [pid]
    while parents:
        born = children.get(parents.pop(), {})
        found.update(born)
        parents += born
    return found


def resident_bytes(pid: int) -> int:
    """Memory that a process has in RAM. Raises NotFound when there is no such process."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (FileNotFoundError, ProcessLookupError):
        raise NotFound(f"process {pid} has ended") from None
    return pages * os.sysconf("SC_PAGE_SIZE")
