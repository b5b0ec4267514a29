"""Tests that work runs beside the block, ends with it, and raises its errors in the thread that checks."""

import threading
from contextlib import suppress

import pytest

from loadtest.background import Background, Running, repeating


class Waiting(Background):
    """Waits for the end of its block, then fails if it was told to."""

    def __init__(self, failure: Exception | None = None) -> None:
        super().__init__("waiting")
        self.started = threading.Event()
        self._then = failure

    def work(self) -> None:
        self.started.set()
        self.stopping.wait()
        if self._then is not None:
            raise self._then


def test_work_runs_until_the_end_of_the_block() -> None:
    with Waiting() as work:
        assert work.started.wait(30)
        assert not work.join(0)
    assert work.join(0)


def test_an_error_is_raised_at_the_end_and_where_it_is_checked() -> None:
    work = Waiting(ValueError("broken"))
    with pytest.raises(ValueError, match="broken"), work:
        work.check()
    with pytest.raises(ValueError, match="broken"):
        work.check()
    with pytest.raises(ValueError, match="broken"):
        work.join(0)


def test_the_error_of_the_block_comes_first() -> None:
    with pytest.raises(KeyError), Waiting(ValueError("broken")):
        raise KeyError


def test_a_wait_for_an_event_of_failed_work_raises_its_error() -> None:
    work = Waiting(ValueError("broken"))
    with suppress(ValueError), work:
        assert work.started.wait(30)
        assert work.has_set(work.started)
        assert not work.has_set(threading.Event())

    with pytest.raises(ValueError, match="broken"):
        work.has_set(work.started)


def test_a_function_gets_the_event_of_the_end_of_its_block() -> None:
    seen: list[threading.Event] = []

    def function(stopping: threading.Event) -> None:
        seen.append(stopping)
        stopping.wait()

    with Running("function", function) as work:
        assert not work.join(0)
    assert seen == [work.stopping]


def test_a_step_is_repeated_until_the_end_of_the_block() -> None:
    steps, twice = [0], threading.Event()

    def step() -> None:
        steps[0] += 1
        if steps[0] == 2:
            twice.set()

    with repeating("steps", step, 0.0):
        assert twice.wait(30)
    at_the_end = steps[0]
    assert at_the_end >= 2
    assert steps == [at_the_end]
