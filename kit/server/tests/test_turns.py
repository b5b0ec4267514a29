"""A burst of one client's things is done a few at a time, and does not come before another client's."""

import asyncio
from collections.abc import Callable

from kit.server.turns import Turns


def test_clients_take_turns_and_each_turn_of_the_loop_has_few() -> None:
    async def done() -> list[list[str]]:
        turns, rounds = Turns(at_once=2), list[list[str]]()

        def noting(name: str) -> Callable[[], None]:
            return lambda: rounds[-1].append(name)

        for name in ("a1", "a2", "a3", "b1", "c1", "a4"):
            turns.wait(name[0], noting(name))
        while sum(map(len, rounds)) < 6:
            rounds.append([])
            await asyncio.sleep(0)
        return [each for each in rounds if each]

    assert asyncio.run(done()) == [["a1", "b1"], ["c1", "a2"], ["a3", "a4"]]


def test_few_things_wait_for_nothing_and_more_wait_for_the_next_turn() -> None:
    async def free() -> list[bool]:
        turns = Turns(at_once=2)
        found = [turns.free() for _ in range(3)]
        await asyncio.sleep(0)
        return [*found, turns.free()]

    assert asyncio.run(free()) == [True, True, False, True]


def test_nothing_overtakes_what_waits() -> None:
    async def free() -> bool:
        turns = Turns(at_once=1)
        turns.wait("a", lambda: None)
        return turns.free()

    assert not asyncio.run(free())
