"""Gives searches and inserts more processor time than merges.

All threads of an engine have the same priority by default. A search then waits behind merges that nobody waits for:
docs/decisions/0058-searches-come-before-merges.md has the measured times. ClickHouse's own setting,
`os_threads_nice_value_merge_mutate`, needs the capability CAP_SYS_NICE. After a merge, it sets the thread to niceness
0. In a node with niceness 5, this thread would then have a higher priority than searches. This module sets the niceness
once, for which no capability is needed. Standard library only, like the program that uses it.
"""

import os
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

MERGE_THREADS: Final = 4
"""Threads for merges and mutations in a node. clickhouse-local has two by default; four keep up with a loader that
inserts all the time."""
ADDED_NICENESS: Final = 5
"""Niceness of merges above that of the node's other threads. A merge then gets a third of the processor time of a
search. Merges must not get much less: where they do not keep up, searches read more parts."""
_SECONDS: Final = 1.0
"""Seconds between two tries to find the threads."""


def lower_merges_once_started() -> None:
    """Lowers the priority of this process's merge threads in the background, as soon as the engine has created them.

    The engine creates them together, with its first MergeTree table. They end with the engine.
    """
    threading.Thread(target=_lower_all, daemon=True).start()


def _lower_all() -> None:
    while lower_merges() < MERGE_THREADS:
        time.sleep(_SECONDS)


def lower_merges() -> int:
    """Lowers the priority of the merge threads that this process has now. Returns their number."""
    lowered, niceness = 0, os.getpriority(os.PRIO_PROCESS, 0) + ADDED_NICENESS
    for thread in Path("/proc/self/task").iterdir():
        # A thread may end after the threads were listed.
        with suppress(FileNotFoundError, ProcessLookupError):
            if (thread / "comm").read_text() == "MergeMutate\n":
                os.setpriority(os.PRIO_PROCESS, int(thread.name), niceness)
                lowered += 1
    return lowered
