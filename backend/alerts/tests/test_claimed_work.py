"""Tests how a worker takes slots: in turns between tenants, again as soon as one is free, and after errors."""

import asyncio
from collections import deque
from dataclasses import dataclass, field

import pytest
from structlog.testing import capture_logs

from backend.alerts.claimed_work import ClaimedWork, FreeSlots
from kit.errors import Unavailable

PATIENCE_SECONDS = 30


@dataclass(frozen=True)
class Piece:
    id: str
    tenant_id: int


@dataclass
class Work:
    """Pieces that are due, and those that run until the test ends them."""

    due: deque[Piece]
    running: dict[str, asyncio.Future[None]] = field(default_factory=dict)

    async def claim(self, slots: FreeSlots) -> list[Piece]:
        chosen = set(slots.choose([(each.id, each.tenant_id) for each in self.due]))
        claimed = [each for each in self.due if each.id in chosen]
        self.due = deque(each for each in self.due if each.id not in chosen)
        return claimed

    async def run(self, piece: Piece) -> None:
        self.running[piece.id] = asyncio.get_running_loop().create_future()
        try:
            await self.running[piece.id]
        finally:
            del self.running[piece.id]

    async def until_running(self, *ids: str) -> None:
        while set(self.running) != set(ids):
            await asyncio.sleep(0)


def pieces(*ids: str) -> Work:
    """Returns work of which the first letter of each id names the tenant."""
    return Work(deque(Piece(id, ord(id[0])) for id in ids))


def test_a_tenant_gets_half_of_the_slots() -> None:
    due = [("a1", 1), ("a2", 1), ("a3", 1), ("b1", 2)]

    assert FreeSlots(4, 2).choose(due) == ["a1", "b1", "a2"]
    assert FreeSlots(4, 2, {1: 1}).choose(due) == ["b1", "a1"]
    assert FreeSlots(1, 2).choose(due) == ["a1"]


def test_a_place_that_becomes_free_goes_to_the_tenant_that_uses_the_fewest() -> None:
    due = [("a1", 1), ("b1", 2), ("a2", 1), ("b2", 2), ("c1", 3)]

    assert FreeSlots(1, 4, {1: 3, 2: 4}).choose(due) == ["c1"]
    assert FreeSlots(2, 4, {1: 3, 2: 3}).choose(due) == ["c1", "a1"]
    assert FreeSlots(3, 4, {1: 1, 2: 3}).choose(due) == ["c1", "a1", "a2"]


def test_a_free_place_is_taken_while_slow_work_goes_on() -> None:
    async def body() -> None:
        work = pieces("a1", "a2", "a3", "b1", "b2", "b3")
        task = asyncio.create_task(ClaimedWork(work.claim, work.run, 4).run())
        await work.until_running("a1", "a2", "b1", "b2")
        work.running["b1"].set_result(None)
        await work.until_running("a1", "a2", "b2", "b3")
        work.running["a2"].set_result(None)
        await work.until_running("a1", "a3", "b2", "b3")
        for each in list(work.running.values()):
            each.set_result(None)

        assert await task == 6

    asyncio.run(body())


def test_an_error_does_not_keep_other_work_from_being_claimed_and_is_raised_at_the_end() -> None:
    async def body() -> None:
        work = pieces("a1", "b1", "c1", "a2")
        task = asyncio.create_task(ClaimedWork(work.claim, work.run, 2).run())
        await work.until_running("a1", "b1")
        work.running["a1"].set_exception(OSError("the disk is full"))
        await work.until_running("b1", "c1")
        work.running["b1"].set_exception(OSError("the host is away"))
        await work.until_running("c1", "a2")
        for each in list(work.running.values()):
            each.set_result(None)

        with pytest.raises(OSError, match="the disk is full"):
            await task
        assert not work.due

    asyncio.run(body())


def test_an_error_of_a_claim_is_raised_at_once_and_running_work_goes_on() -> None:
    async def body() -> None:
        work, is_away = pieces("a1", "b1"), False

        async def claim(slots: FreeSlots) -> list[Piece]:
            if is_away:
                raise OSError("the database is away")
            return await work.claim(slots)

        claimed = ClaimedWork(claim, work.run, 3)
        task = asyncio.create_task(claimed.run())
        await work.until_running("a1", "b1")
        is_away = True
        work.running["a1"].set_result(None)
        with pytest.raises(OSError, match="the database is away"):
            await task
        assert set(work.running) == {"b1"}

        is_away = False
        task = asyncio.create_task(claimed.run())
        work.running["b1"].set_result(None)
        assert await task == 0
        assert work.running == {}

    asyncio.run(body())


def test_a_failure_of_the_control_plane_is_logged_as_a_sentence() -> None:
    async def body() -> None:
        work = pieces("a1")
        task = asyncio.create_task(ClaimedWork(work.claim, work.run, 2).run())
        await work.until_running("a1")
        work.running["a1"].set_exception(Unavailable("the control plane is away"))
        with capture_logs() as logged, pytest.raises(Unavailable):
            await task
        (line,) = logged
        assert (line["log_level"], line.get("exc_info")) == ("warning", None)
        assert line["reason"] == "the control plane is away"

    asyncio.run(body())


def test_runs_of_a_busy_worker_end_with_their_errors_and_work_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    # A run waits until some work has ended, however slow the machine is.
    monkeypatch.setattr("backend.alerts.claimed_work.POLL_SECONDS", 2 * PATIENCE_SECONDS)

    async def body() -> None:
        work = pieces("a1", "b1", "a2", "b2")
        claimed = ClaimedWork(work.claim, work.run, 2)
        task = asyncio.create_task(claimed.run(0))
        await work.until_running("a1", "b1")
        work.running["a1"].set_exception(OSError("the disk is full"))
        with pytest.raises(OSError, match="the disk is full"):
            await asyncio.wait_for(task, PATIENCE_SECONDS)

        task = asyncio.create_task(claimed.run(0))
        await work.until_running("b1", "a2")
        work.running["a2"].set_result(None)
        assert await asyncio.wait_for(task, PATIENCE_SECONDS) == 1, "the run has ended, although b1 runs and b2 is due"
        assert set(work.running) == {"b1"}
        await claimed.cancel()

    asyncio.run(body())


def test_work_is_cancelled_with_its_worker() -> None:
    async def body() -> None:
        work = pieces("a1", "b1")
        claimed = ClaimedWork(work.claim, work.run, 2)
        task = asyncio.create_task(claimed.run())
        await work.until_running("a1", "b1")
        task.cancel()
        await claimed.cancel()

        with pytest.raises(asyncio.CancelledError):
            await task
        assert work.running == {}

    asyncio.run(body())


def test_a_stop_waits_for_work_only_for_some_time() -> None:
    async def body() -> None:
        work = pieces("a1", "b1")
        claimed = ClaimedWork(work.claim, work.run, 2)
        task = asyncio.create_task(claimed.run())
        await work.until_running("a1", "b1")
        task.cancel()
        ending = asyncio.create_task(claimed.finish(PATIENCE_SECONDS))
        await asyncio.sleep(0)
        first, second = list(work.running.values())
        assert not first.cancelled()
        assert not second.cancelled()
        first.set_result(None)
        second.set_exception(Unavailable("the control plane is away"))
        with capture_logs() as lines:
            await asyncio.wait_for(ending, PATIENCE_SECONDS)
        assert [line["reason"] for line in lines] == ["the control plane is away"]

        work.due.append(Piece("a2", 1))
        task = asyncio.create_task(claimed.run())
        await work.until_running("a2")
        task.cancel()
        await asyncio.wait_for(claimed.finish(0), PATIENCE_SECONDS)
        assert work.running == {}

    asyncio.run(body())
