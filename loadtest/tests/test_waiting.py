"""Tests that a wait ends with the state that it waits for, or with an error that names it."""

import pytest

from kit.clock import SystemClock
from kit.errors import Unavailable
from loadtest.waiting import wait_until


def test_it_polls_until_the_state_is_reached() -> None:
    answers = [False, False, True]

    wait_until(lambda: answers.pop(0), SystemClock(), 60, "nothing happened", pause_seconds=0)

    assert answers == []


def test_a_state_that_is_not_reached_is_named() -> None:
    with pytest.raises(Unavailable, match="the loader was not ready within 0 s"):
        wait_until(lambda: False, SystemClock(), 0, "the loader was not ready", pause_seconds=0)
