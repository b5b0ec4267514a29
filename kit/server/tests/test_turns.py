"""Tests that clients take turns, that an iteration of the event loop stays short, and that nothing waits needlessly."""

import asyncio
from collections.abc import Callable
from functools import partial

import pytest

from kit.server.turns import AT_ONCE, TURN_SECONDS, Turns

MANY = 3 * AT_ONCE


class Ran:
    """Records which jobs ran, and in which iteration of the event loop."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.iterations: list[int] = []
        self._iteration = 0

    def run(self, name: str) -> None:
        self.names.append(name)
        self.iterations.append(self._iteration)

    async def until(self, count: int) -> None:
        """Lets the event loop run until `count` jobs have run."""
        while len(self.names) < count:
            self._iteration += 1
            await asyncio.sleep(0)


def run(test: Callable[[Ran], Turns], count: int) -> Ran:
    """Calls `test` within an event loop, and returns what ran when `count` jobs have."""
    ran = Ran()

    async def within() -> None:
        test(ran)
        await ran.until(count)

    asyncio.run(within())
    return ran


def test_a_job_runs_immediately_after_another_one_failed() -> None:
    def fail() -> None:
        raise AssertionError

    def test(ran: Ran) -> Turns:
        turns = Turns(lambda: 0.0)
        with pytest.raises(AssertionError):
            turns.take("a", fail)
        assert turns.take("a", partial(ran.run, "a1"))
        return turns

    run(test, 1)


def test_a_work_runs_immediately_when_nothing_waits() -> None:
    def test(ran: Ran) -> Turns:
        turns = Turns(lambda: 0.0)
        assert turns.take("a", partial(ran.run, "a1"))
        assert ran.names == ["a1"]
        return turns

    run(test, 1)


def test_few_jobs_run_in_one_iteration_and_all_in_their_order() -> None:
    def test(ran: Ran) -> Turns:
        turns = Turns(lambda: 0.0)
        ran_now = [turns.take("a", partial(ran.run, str(number))) for number in range(MANY)]
        assert ran_now == [True] * AT_ONCE + [False] * (MANY - AT_ONCE)
        return turns

    ran = run(test, MANY)
    assert ran.names == [str(number) for number in range(MANY)]
    assert max(ran.iterations.count(each) for each in set(ran.iterations)) == AT_ONCE


def test_a_client_with_one_job_does_not_wait_behind_all_jobs_of_another() -> None:
    def test(ran: Ran) -> Turns:
        turns = Turns(lambda: 0.0)
        for number in range(MANY):
            turns.take("a", partial(ran.run, f"a{number}"))
        turns.take("b", partial(ran.run, "b"))
        return turns

    assert run(test, MANY + 1).names.index("b") == AT_ONCE + 1


def test_an_iteration_ends_early_after_slow_jobs() -> None:
    seconds = 0.0

    def test(ran: Ran) -> Turns:
        def slow() -> None:
            nonlocal seconds
            seconds += TURN_SECONDS
            ran.run("slow")

        turns = Turns(lambda: seconds)
        assert [turns.take("a", slow) for _ in range(3)] == [True, False, False]
        return turns

    assert len(set(run(test, 3).iterations)) == 3


def test_a_job_may_add_another_one() -> None:
    def test(ran: Ran) -> Turns:
        turns = Turns(lambda: 0.0)

        def again(left: int) -> None:
            ran.run(str(left))
            if left:
                turns.take("a", partial(again, left - 1))

        turns.take("a", partial(again, MANY))
        return turns

    assert run(test, MANY + 1).names == [str(number) for number in range(MANY, -1, -1)]


def test_the_iteration_after_a_pause_has_its_whole_time_again() -> None:
    async def within() -> None:
        ran, turns = Ran(), Turns(lambda: 0.0)
        for _ in range(AT_ONCE):
            assert turns.take("a", partial(ran.run, "a"))
        for _ in range(3):
            await asyncio.sleep(0)
        assert turns.take("a", partial(ran.run, "a"))

    asyncio.run(within())


def test_an_error_in_a_job_does_not_strand_the_jobs_that_wait() -> None:
    def fail() -> None:
        raise ValueError("planted")

    def test(ran: Ran) -> Turns:
        asyncio.get_running_loop().set_exception_handler(lambda _loop, _context: None)
        turns = Turns(lambda: 0.0)
        for number in range(AT_ONCE):
            turns.take("a", partial(ran.run, str(number)))
        turns.take("a", fail)
        turns.take("b", partial(ran.run, "b"))
        return turns

    assert run(test, AT_ONCE + 1).names[-1] == "b"
