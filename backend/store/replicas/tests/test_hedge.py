"""Tests when a statement is sent twice, which answer counts, and that the other statement is cancelled."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from backend.store.replicas import hedge
from backend.store.replicas.hedge import MAX_SAVED, MIN_RECENT, Hedging, percentile_of
from kit.clock import ManualClock
from kit.errors import Internal, Unavailable

KIND = "pages"


class Replica:
    """A replica that answers when `answered` is set. Counts the statements that it received, and those that were
    cancelled."""

    def __init__(self, answer: str | Exception | None) -> None:
        self.answered = asyncio.Event()
        self.statements = 0
        self.cancelled = 0
        self._answer = answer

    async def run(self) -> str | None:
        self.statements += 1
        try:
            await self.answered.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer

    async def answer_now(self) -> str | None:
        self.answered.set()
        return await self.run()


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hedge, "MIN_SECONDS", 0.001)


async def quick() -> str | None:
    return "quick"


async def nothing() -> str | None:
    return None


async def learned(percent: float = 5.0) -> Hedging:
    """Returns a Hedging that has timed enough statements, each of which took no time."""
    hedging = Hedging(percent, ManualClock())
    for _ in range(MIN_RECENT):
        await hedging.first_answer(KIND, quick(), nothing)
    return hedging


def run(use: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(use())


def test_nothing_is_sent_twice_before_enough_is_known() -> None:
    async def use() -> None:
        hedging, first, second = Hedging(100, ManualClock()), Replica("first"), Replica("second")
        for _ in range(MIN_RECENT):
            first.answered.clear()
            asyncio.get_running_loop().call_later(0.003, first.answered.set)
            assert await hedging.first_answer(KIND, first.run(), second.answer_now) == "first"
        assert second.statements == 0
        first.answered.clear()
        assert await hedging.first_answer(KIND, first.run(), second.answer_now) == "second"

    run(use)


def test_the_second_answer_counts_when_the_first_is_late_and_the_first_statement_is_cancelled() -> None:
    async def use() -> None:
        hedging, first, second = await learned(), Replica("first"), Replica("second")
        assert await hedging.first_answer(KIND, first.run(), second.answer_now) == "second"
        assert (first.statements, first.cancelled) == (1, 1)

    run(use)


def test_the_first_answer_counts_when_it_arrives_earlier_and_the_second_statement_is_cancelled() -> None:
    async def use() -> None:
        hedging, first, second = await learned(), Replica("first"), Replica("second")

        async def answer_first() -> str | None:
            first.answered.set()
            return await second.run()

        assert await hedging.first_answer(KIND, first.run(), answer_first) == "first"
        assert (second.statements, second.cancelled) == (1, 1)

    run(use)


@pytest.mark.parametrize("failure", [None, Unavailable("unreachable")])
def test_the_first_answer_is_waited_for_when_the_second_replica_has_none(failure: Exception | None) -> None:
    async def use() -> None:
        hedging, first, second = await learned(), Replica("first"), Replica(failure)
        asyncio.get_running_loop().call_later(0.01, first.answered.set)
        assert await hedging.first_answer(KIND, first.run(), second.answer_now) == "first"

    run(use)


@pytest.mark.parametrize("answer", ["second", None])
def test_the_second_answer_is_waited_for_when_the_first_statement_fails(answer: str | None) -> None:
    async def use() -> None:
        hedging, first, second = await learned(), Replica(Internal("broken")), Replica(answer)

        async def fail_first() -> str | None:
            first.answered.set()
            asyncio.get_running_loop().call_later(0.01, second.answered.set)
            return await second.run()

        if answer is None:
            with pytest.raises(Internal, match="broken"):
                await hedging.first_answer(KIND, first.run(), fail_first)
        else:
            assert await hedging.first_answer(KIND, first.run(), fail_first) == answer

    run(use)


def test_a_failure_in_time_is_raised_without_a_second_statement() -> None:
    async def use() -> None:
        hedging, first, second = await learned(), Replica(Internal("broken")), Replica("second")
        with pytest.raises(Internal, match="broken"):
            await hedging.first_answer(KIND, first.answer_now(), second.answer_now)

    run(use)


@pytest.mark.parametrize(("percent", "late", "most"), [(0, 0, 0), (5, int(MAX_SAVED), MAX_SAVED + 6), (100, 100, 100)])
def test_second_statements_are_bounded(percent: float, late: int, most: float) -> None:
    """First replica, which never answers the first `late` statements and answers all later ones after a pause."""

    async def use() -> None:
        hedging, second = await learned(percent), Replica("second")
        for number in range(100):
            first = Replica("first")
            if number >= late:
                asyncio.get_running_loop().call_later(0.005, first.answered.set)
            await hedging.first_answer(KIND, first.run(), second.answer_now)
        assert late <= second.statements <= most

    run(use)


def test_a_cancelled_caller_cancels_both() -> None:
    async def use() -> None:
        hedging, first, second = await learned(), Replica("first"), Replica("second")
        caller = asyncio.create_task(hedging.first_answer(KIND, first.run(), second.run))
        while not second.statements:
            await asyncio.sleep(0)
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        assert (first.cancelled, second.cancelled) == (1, 1)

    run(use)


def test_each_kind_has_times_of_its_own() -> None:
    async def use() -> None:
        hedging, first, second = await learned(), Replica("first"), Replica("second")
        asyncio.get_running_loop().call_later(0.01, first.answered.set)
        assert await hedging.first_answer("counts", first.run(), second.answer_now) == "first"

    run(use)


def test_the_percentile_is_one_of_the_times() -> None:
    assert percentile_of(range(1, 101)) == 95
    assert percentile_of([7]) == 7
