"""The kernel's line about a process."""

import os

import pytest

from kit.errors import NotFound
from loadtest.process_stat import ProcessStat, read_stat

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


def test_no_such_process() -> None:
    with pytest.raises(NotFound):
        read_stat(2**22 + 1)
