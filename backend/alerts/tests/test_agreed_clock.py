"""Tests that a worker whose clock is ahead of ClickHouse's does not evaluate ranges that have not ended."""

import asyncio
from pathlib import Path

import pytest

from backend.alerts.agreed_clock import AgreedClock
from backend.alerts.evaluator import Evaluator
from backend.alerts.tests.world import NOW, WhenDue, World, content, run
from backend.store.rows import Cost, Rows
from backend.store.statement import SystemStatement
from kit.clock import ManualClock
from kit.errors import Conflict, Unavailable

SECOND = 10**9


class Server:
    """A ClickHouse server that answers with the time of a clock."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.answers = True

    async def run(self, _statement: SystemStatement[int]) -> Rows[int]:
        if not self.answers:
            raise Unavailable("ClickHouse did not answer")
        return Rows([self.clock.now_ns()], Cost())


@pytest.mark.parametrize("seconds_ahead", [15, 240])
def test_a_worker_whose_clock_is_ahead_evaluates_a_rule_when_it_is_due(
    tmp_path: Path, control_url: str, seconds_ahead: int
) -> None:
    async def use(world: World) -> None:
        ahead = ManualClock(world.clock.now_ns() + seconds_ahead * SECOND)
        agreed = AgreedClock(ahead, Server(world.clock).run)
        await agreed.refresh()
        worker = Evaluator(world.settings, world.engine, WhenDue(world.observe), agreed)
        await world.service.create(world.acme, content())

        async def evaluated_after(seconds: float) -> list[int]:
            for clock in (world.clock, ahead):
                clock.advance(seconds)
            await worker.evaluate_due()
            return world.evaluated_at

        assert await evaluated_after(59) == []
        assert await evaluated_after(1) == [NOW + 60 * SECOND]

    run(tmp_path, control_url, use)


def test_a_clock_follows_the_slower_of_two_clocks() -> None:
    ours, server = ManualClock(NOW), Server(ManualClock(NOW))
    agreed = AgreedClock(ours, server.run)

    def seconds_after_comparison() -> float:
        asyncio.run(agreed.refresh())
        return (agreed.now_ns() - NOW) / SECOND

    assert seconds_after_comparison() == 0
    server.clock.advance(200)
    assert seconds_after_comparison() == 0, "ClickHouse's clock is ahead"
    ours.advance(250)
    assert seconds_after_comparison() == 200, "the machine's clock is ahead"
    server.answers = False
    ours.advance(10)
    with pytest.raises(Unavailable):
        asyncio.run(agreed.refresh())
    assert (agreed.now_ns() - NOW) / SECOND == 210, "the last known difference counts"
    server.answers = True
    server.clock.advance(60)
    assert seconds_after_comparison() == 260, "the machine's clock was corrected"


@pytest.mark.parametrize(("seconds_ahead", "is_slower"), [(301, "ClickHouse's"), (-301, "the machine's")])
def test_clocks_that_are_far_apart_are_an_error(seconds_ahead: int, is_slower: str) -> None:
    ours, server = ManualClock(NOW + seconds_ahead * SECOND), Server(ManualClock(NOW))
    agreed = AgreedClock(ours, server.run)
    with pytest.raises(Conflict, match="set both clocks"):
        asyncio.run(agreed.refresh())
    assert agreed.now_ns() == min(ours.now_ns(), server.clock.now_ns()), f"{is_slower} clock is slower"
