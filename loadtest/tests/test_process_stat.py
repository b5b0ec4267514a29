"""Tests that the CPU time of a process includes its descendants, and that an unknown process raises an error."""

import os
import subprocess
import sys
import time

import pytest

from kit.errors import NotFound
from loadtest.process_stat import family, family_cpu_seconds, family_status_bytes


def test_this_process() -> None:
    assert family_cpu_seconds(os.getpid()) >= time.process_time() - 0.05
    assert family(os.getpid())[0] == os.getpid()
    assert family_status_bytes(os.getpid(), "VmRSS") > 2**20


def test_living_children_and_their_children_count() -> None:
    busy = "import time\nuntil = time.process_time() + 0.3\nwhile time.process_time() < until: pass"
    script = (
        f"import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', {busy!r} + '\\ninput()'], stdin=0).wait()"
    )
    before = family_cpu_seconds(os.getpid())
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE) as child:
        assert child.stdin is not None
        deadline = time.monotonic() + 30
        while family_cpu_seconds(child.pid) < 0.3:
            assert time.monotonic() < deadline, "the grandchild's time does not count"
            time.sleep(0.05)
        assert family_cpu_seconds(os.getpid()) - before >= 0.3
        child.stdin.close()


def test_no_such_process() -> None:
    with pytest.raises(NotFound):
        family_cpu_seconds(2**22 + 1)
