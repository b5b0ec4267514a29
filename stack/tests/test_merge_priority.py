"""The priority of threads that merge, with threads of this process that have the engine's name for them."""

import ctypes
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stack.clickhouse.merge_priority import ADDED_NICENESS, lower_merges

PR_SET_NAME = 15
"""Option of prctl(2)."""


@contextmanager
def a_thread(name: str) -> Iterator[int]:
    """Yields the id of a waiting thread that has the name for the system."""
    named, done = threading.Event(), threading.Event()

    def wait() -> None:
        ctypes.CDLL(None).prctl(PR_SET_NAME, name.encode())
        named.set()
        done.wait()

    thread = threading.Thread(target=wait)
    thread.start()
    named.wait()
    try:
        assert thread.native_id is not None
        yield thread.native_id
    finally:
        done.set()
        thread.join()
        # The system may have the thread for a moment longer than Python.
        while Path("/proc/self/task", str(thread.native_id)).exists():
            time.sleep(0.001)


def test_only_threads_that_merge_get_a_lower_priority() -> None:
    before = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    with a_thread("MergeMutate") as merging, a_thread("HTTPHandler") as searching:
        assert lower_merges() == 1
        assert os.getpriority(os.PRIO_PROCESS, merging) == min(before + ADDED_NICENESS, 19)
        assert os.getpriority(os.PRIO_PROCESS, searching) == before
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == before
    assert lower_merges() == 0
