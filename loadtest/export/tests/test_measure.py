"""Tests that the memory of exports is that of all processes of the API."""

import os
import subprocess
import sys

from kit.clock import SystemClock
from loadtest.export.measure import watched
from loadtest.waiting import wait_until

GROWTH = 64 * 2**20


def test_memory_of_a_worker_counts() -> None:
    program = (
        f"import sys; sys.stdin.readline(); held = b'x' * {GROWTH}; print(len(held), flush=True); sys.stdin.read()"
    )
    with (
        subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as worker,
        watched(os.getpid()) as sizes,
    ):
        assert worker.stdin is not None
        assert worker.stdout is not None
        worker.stdin.write(b"\n")
        worker.stdin.flush()
        assert int(worker.stdout.readline()) == GROWTH
        wait_until(
            lambda: max(sizes) - sizes[0] >= GROWTH / 2, SystemClock(), 30, "the worker's memory was not counted"
        )
        worker.stdin.close()
