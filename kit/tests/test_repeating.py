"""Turns are taken again and again; after the end was told a thread takes none, a task one."""

import asyncio

import pytest

from kit.repeating import Repeating, RepeatingTask, stopped_within

PATIENCE = 10


class Counting(Repeating):
    """Stops itself in its third turn."""

    def __init__(self) -> None:
        super().__init__("counting", 0.001)
        self.turns = 0

    def turn(self) -> None:
        self.turns += 1
        if self.turns == 3:
            self.stop()


def test_it_ends_with_the_turn_in_which_it_was_stopped() -> None:
    counting = Counting()
    counting.start()
    counting.join(PATIENCE)
    assert not counting.is_alive()
    assert counting.turns == 3


def test_stopped_before_its_first_turn_it_takes_none() -> None:
    counting = Counting()
    counting.stop()
    counting.start()
    counting.join(PATIENCE)
    assert counting.turns == 0


class Turns:
    """Counts turns; each waits for `gate`, and tells that it has begun."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()
        self.count = 0

    async def take(self) -> None:
        self.begun.set()
        await self.gate.wait()
        self.count += 1


def test_a_task_takes_its_turns_and_a_last_one() -> None:
    async def repeat() -> None:
        turns = Turns()
        task = RepeatingTask("turns", 0.001, turns.take)
        task.start()
        async with asyncio.timeout(PATIENCE):
            while turns.count < 3:
                await asyncio.sleep(0.001)
        taken = turns.count
        await task.stop()
        assert turns.count == taken + 1

    asyncio.run(repeat())


def test_a_turn_that_is_being_taken_is_finished_before_the_last() -> None:
    async def repeat() -> None:
        turns = Turns()
        turns.gate.clear()
        task = RepeatingTask("turns", 0, turns.take)
        task.start()
        async with asyncio.timeout(PATIENCE):
            await turns.begun.wait()
            stopped = asyncio.create_task(task.stop())
            await asyncio.sleep(0)
            assert not stopped.done()
            turns.gate.set()
            await stopped
        assert turns.count == 2

    asyncio.run(repeat())


def test_a_task_that_waits_stops_at_once_and_one_never_started_takes_the_last_turn() -> None:
    async def repeat() -> None:
        turns = Turns()
        waiting, never = (RepeatingTask("turns", 3_600, turns.take) for _ in range(2))
        waiting.start()
        async with asyncio.timeout(PATIENCE):
            await waiting.stop()
            await never.stop()
        assert turns.count == 2

    asyncio.run(repeat())


def test_an_error_of_a_turn_ends_the_task_and_is_raised_by_stop() -> None:
    async def repeat() -> None:
        failed = asyncio.Event()

        async def fail() -> None:
            assert not failed.is_set()
            failed.set()
            raise ValueError("oops")

        task = RepeatingTask("turns", 0, fail)
        task.start()
        async with asyncio.timeout(PATIENCE):
            await failed.wait()
            with pytest.raises(ValueError, match="oops"):
                await task.stop()

    asyncio.run(repeat())


def test_waiting_to_be_stopped_says_whether_it_was() -> None:
    async def wait() -> None:
        stopping = asyncio.Event()
        assert not await stopped_within(stopping, 0.001)
        stopping.set()
        assert await stopped_within(stopping, 0)
        assert await stopped_within(stopping, PATIENCE)

    asyncio.run(wait())
