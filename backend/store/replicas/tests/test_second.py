"""Tests which second replica a late statement is sent to, and which replica is read after it has answered."""

import asyncio

import pytest

from backend.store.replicas import choose
from backend.store.replicas.tests.cluster import BOTH, Cluster, run
from kit.errors import Unavailable
from kit.topology import Place

pytestmark = pytest.mark.usefixtures("quick_catch_up")


@pytest.mark.parametrize(("stored", "second"), [(12, 1), (11, None), (99, 1)])
def test_the_second_replica_has_everything_that_was_shown(stored: int, second: int | None) -> None:
    async def use(cluster: Cluster) -> None:
        assert await cluster.choice.choose([0]) == 0
        cluster.intended[0] = {0: 12}
        cluster.stored[1][0] = stored
        assert await cluster.choice.second([0], 0) == second

    run(use)


def test_the_second_replica_need_not_have_what_is_loaded_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose, "CATCH_UP_SECONDS", 30.0)

    async def use(cluster: Cluster) -> None:
        await cluster.choice.choose([0])
        cluster.stored[0][0] = 12
        waiting = asyncio.create_task(cluster.choice.second([0], 0))
        readings = cluster.readings
        while cluster.readings < readings + 2:
            await asyncio.sleep(0)
        cluster.stored[0][0], cluster.stored[1][0] = 50, 12
        assert await waiting == 1

    run(use)


def test_a_server_that_does_not_answer_is_no_second_one() -> None:
    async def use(cluster: Cluster) -> None:
        await cluster.choice.choose(BOTH)
        await cluster.lose(Place(1, 1))
        assert [await cluster.choice.second(shards, 0) for shards in ([0], [1], BOTH)] == [1, None, None]

    run(use)


def test_without_kafka_there_is_no_second_one() -> None:
    async def use(cluster: Cluster) -> None:
        await cluster.choice.choose([0])
        cluster.kafka_answers = False
        assert await cluster.choice.second([0], 0) is None

    run(use)


@pytest.mark.parametrize(
    ("first", "second", "intended", "read"),
    [
        pytest.param(10, 10, 10, 0, id="both have the same"),
        pytest.param(12, 10, 11, 0, id="the first has all that the second can have shown"),
        pytest.param(10, 12, 12, 1, id="the second has more"),
        pytest.param(10, 10, 11, 1, id="the second may have shown more"),
    ],
)
def test_the_replica_that_has_everything_is_read_on(first: int, second: int, intended: int, read: int) -> None:
    async def use(cluster: Cluster) -> None:
        interrupted: list[str] = []
        await cluster.choice.choose(BOTH)
        cluster.stored[0][0], cluster.stored[1][0] = first, second
        cluster.intended[1] = {0: intended}
        with (
            cluster.health.watched([Place(0, 0)], lambda: interrupted.append("shard 0")),
            cluster.health.watched([Place(1, 0)], lambda: interrupted.append("shard 1")),
        ):
            await cluster.choice.accept([0], 0, 1)
        assert cluster.choice.in_use([0]) == read
        assert cluster.choice.in_use([1]) == 0
        assert interrupted == ["shard 0"] * read

    run(use)


def test_an_answer_waits_until_one_replica_has_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    async def use(cluster: Cluster) -> None:
        await cluster.choice.choose([0])
        # Each may have shown messages that the other one lacks.
        cluster.intended = [{0: 11}, {0: 12}]
        with pytest.raises(Unavailable, match="caught up"):
            await cluster.choice.accept([0], 0, 1)
        assert cluster.choice.in_use([0]) == 0
        monkeypatch.setattr(choose, "CATCH_UP_SECONDS", 30.0)
        waiting = asyncio.create_task(cluster.choice.accept([0], 0, 1))
        readings = cluster.readings
        while cluster.readings < readings + 2:
            await asyncio.sleep(0)
        assert not waiting.done()
        cluster.stored[1][0] = 11
        await waiting
        assert cluster.choice.in_use([0]) == 1

    run(use)


def test_what_the_second_one_showed_counts_when_it_is_left() -> None:
    async def use(cluster: Cluster) -> None:
        await cluster.choice.choose([0])
        cluster.stored[1][0] = 12
        await cluster.choice.accept([0], 0, 1)
        await cluster.lose(Place(0, 1))
        with pytest.raises(Unavailable, match="caught up"):
            await cluster.choice.choose([0])
        cluster.stored[0][0] = 12
        assert await cluster.choice.choose([0]) == 0

    run(use)


def test_what_the_second_one_can_have_shown_counts_although_the_first_one_is_silent() -> None:
    async def use(cluster: Cluster) -> None:
        await cluster.choice.choose([0])
        await cluster.lose(Place(0, 0))
        await cluster.choice.refresh()
        cluster.stored[0][0], cluster.intended[1] = 12, {0: 12}
        await cluster.choice.accept([0], 0, 1)
        with pytest.raises(Unavailable, match="caught up"):
            await cluster.choice.choose([0])
        cluster.stored[1][0] = 12
        assert await cluster.choice.choose([0]) == 1

    run(use)
