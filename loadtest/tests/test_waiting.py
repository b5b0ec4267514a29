"""Tests that a wait ends with the state that it waits for, or with an error that names it."""

import pytest

from kit.clock import SystemClock
from kit.errors import InvalidRequest, Unavailable
from loadtest.waiting import wait_until, wait_until_succeeds


def test_it_polls_until_the_state_is_reached() -> None:
    answers = [False, False, True]

    wait_until(lambda: answers.pop(0), SystemClock(), 60, "nothing happened", pause_seconds=0)

    assert answers == []


def test_a_state_that_is_not_reached_is_named() -> None:
    with pytest.raises(Unavailable, match="the loader was not ready within 0 s"):
        wait_until(lambda: False, SystemClock(), 0, "the loader was not ready", pause_seconds=0)


def test_it_asks_again_until_there_is_no_error() -> None:
    errors: list[Exception] = [Unavailable("it starts"), InvalidRequest("the key is unknown")]

    def ask() -> None:
        if errors:
            raise errors.pop(0)

    wait_until_succeeds(ask, 60, "nothing happened", pause_seconds=0)

    assert errors == []


def test_the_last_error_is_shown() -> None:
    def ask() -> None:
        raise InvalidRequest("the key is unknown")

    with pytest.raises(Unavailable, match="the loader was not ready within -1 s: the key is unknown"):
        wait_until_succeeds(ask, -1, "the loader was not ready", pause_seconds=0)
