"""The kernel's line about a process."""

import os
import subprocess
import sys
import time

import pytest

from kit.errors import NotFound
from loadtest.process_stat import ProcessStat, family_cpu_seconds, read_stat

LINE = (
    "4242 (ki (n) d) S 17 4242 4242 0 -1 4194560 1 2 3 4 "
    "150 50 25 75 20 0 9 0 12345 100 200 18446744073709551615 0 0 0 0 0 0 0"
)


def test_children_count_and_the_name_may_hold_brackets() -> None:
    assert ProcessStat.parse(LINE, ticks_per_second=100) == ProcessStat(parent=17, cpu_seconds=3.0)


def test_this_process() -> None:
    before = read_stat(os.getpid())
    assert before.parent == os.getppid()
    times = os.times()
    assert before.cpu_seconds <= times.user + times.system + times.children_user + times.children_system + 0.05


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
        assert read_stat(child.pid).cpu_seconds < 0.3
        assert family_cpu_seconds(os.getpid()) - before >= 0.3
        child.stdin.close()


def test_no_such_process() -> None:
    with pytest.raises(NotFound):
        read_stat(2**22 + 1)
