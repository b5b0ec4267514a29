"""Tests which replica is read: one whose servers answer, and that has everything that can have been shown."""

import asyncio

import pytest

from backend.store.replicas import choose, readings
from backend.store.replicas.health import FAILURES_ALONE
from backend.store.replicas.reach import ALIKE
from backend.store.replicas.tests.cluster import BOTH, EPOCH, Cluster, run
from kit.errors import Unavailable
from kit.topology import Place

pytestmark = pytest.mark.usefixtures("quick_catch_up")


def test_the_first_replica_is_read_while_it_answers_without_new_requests_to_kafka() -> None:
    async def use(cluster: Cluster) -> None:
        for shards in ([0], [1], BOTH, [0]):
            assert await cluster.choice.choose(shards) == 0
        before = cluster.readings
        assert await cluster.choice.choose(BOTH) == 0
        assert cluster.readings == before

    run(use)


@pytest.mark.parametrize(
    ("first", "second", "chosen"),
    [(10 * ALIKE, 11 * ALIKE, 0), (10 * ALIKE, 11 * ALIKE + 1, 1), (9, 10, 0), (8, 10, 1), (0, 10, 1), (0, 0, 0)],
)
def test_a_replica_that_is_far_behind_is_not_the_first_choice(first: int, second: int, chosen: int) -> None:
    async def use(cluster: Cluster) -> None:
        cluster.stored[0][0], cluster.stored[1][0] = first, second
        assert await cluster.choice.choose([0]) == chosen
        assert await cluster.choice.choose([1]) == 0

    run(use)


def test_another_replica_is_read_when_a_server_is_unreachable_and_read_on_when_it_is_back() -> None:
    async def use(cluster: Cluster) -> None:
        await cluster.choice.choose(BOTH)
        await cluster.lose(Place(1, 0))
        assert [await cluster.choice.choose(shards) for shards in ([0], [1], BOTH)] == [0, 1, 1]
        await cluster.find(Place(1, 0))
        assert [await cluster.choice.choose(shards) for shards in ([1], [0], BOTH)] == [1, 1, 1]

    run(use)


def test_a_statement_over_all_shards_needs_a_replica_with_all_servers() -> None:
    async def use(cluster: Cluster) -> None:
        await cluster.lose(Place(0, 0), Place(1, 1))
        assert [await cluster.choice.choose([shard]) for shard in BOTH] == [1, 0]
        with pytest.raises(Unavailable, match="all shards"):
            await cluster.choice.choose(BOTH)

    run(use)


def test_statements_wait_for_servers_that_are_late_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    async def use(cluster: Cluster) -> None:
        await cluster.choice.choose(BOTH)
        await cluster.delay(Place(0, 0), Place(1, 1))
        with pytest.raises(Unavailable, match="all shards"):
            await cluster.choice.choose(BOTH)
        monkeypatch.setattr(choose, "CATCH_UP_SECONDS", 30.0)
        waiting = asyncio.create_task(cluster.choice.choose(BOTH))
        for _ in range(3):
            await cluster.delay(Place(0, 0), Place(1, 1))
        assert not waiting.done()
        await cluster.delay(Place(1, 1))
        assert await waiting == 0

    run(use)


def test_nothing_waits_for_a_server_that_is_late_for_long() -> None:
    async def use(cluster: Cluster) -> None:
        for _ in range(FAILURES_ALONE):
            await cluster.delay(Place(1, 0), Place(1, 1))
        with pytest.raises(Unavailable, match="shard 1"):
            await cluster.choice.choose([1])
        assert await cluster.choice.choose([0]) == 0

    run(use)


def test_a_shard_without_a_server_fails_at_once_and_alone() -> None:
    async def use(cluster: Cluster) -> None:
        await cluster.lose(Place(1, 0), Place(1, 1))
        with pytest.raises(Unavailable, match="shard 1"):
            await cluster.choice.choose([1])
        assert cluster.readings == 0
        assert await cluster.choice.choose([0]) == 0

    run(use)


@pytest.mark.parametrize("intended", [{}, {0: 12}])
def test_the_next_replica_must_have_what_the_last_one_can_have_shown(intended: dict[int, int]) -> None:
    async def use(cluster: Cluster) -> None:
        await cluster.choice.choose([0])
        cluster.stored[0][0], cluster.intended[0] = (10, intended) if intended else (12, {})
        cluster.stored[1][0] = 11
        await cluster.lose(Place(0, 0))
        with pytest.raises(Unavailable, match="caught up"):
            await cluster.choice.choose([0])
        cluster.stored[1][0] = 12
        assert await cluster.choice.choose([0]) == 1

    run(use)


def test_statements_wait_for_the_next_replica_to_catch_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose, "CATCH_UP_SECONDS", 30.0)

    async def use(cluster: Cluster) -> None:
        await cluster.choice.choose([0])
        cluster.stored[0][0] = 12
        await cluster.lose(Place(0, 0))
        waiting = [asyncio.create_task(cluster.choice.choose([0])) for _ in range(5)]
        while cluster.readings < 4:
            await asyncio.sleep(0)
        assert not any(each.done() for each in waiting)
        cluster.stored[1][0] = 12
        assert await asyncio.gather(*waiting) == [1] * 5

    run(use)


def test_what_was_shown_counts_after_several_changes() -> None:
    async def use(cluster: Cluster) -> None:
        await cluster.choice.choose([0])
        cluster.stored[1][0] = 20
        await cluster.lose(Place(0, 0))
        assert await cluster.choice.choose([0]) == 1
        await cluster.lose(Place(0, 1))
        await cluster.find(Place(0, 0))
        with pytest.raises(Unavailable, match="caught up"):
            await cluster.choice.choose([0])

    run(use)


def test_other_shards_need_not_catch_up() -> None:
    async def use(cluster: Cluster) -> None:
        await cluster.choice.choose([0])
        cluster.stored[0][1] = 99
        await cluster.lose(Place(0, 0))
        assert await cluster.choice.choose([0]) == 1

    run(use)


def test_without_kafka_the_last_reading_counts() -> None:
    async def use(cluster: Cluster) -> None:
        await cluster.choice.choose([0])
        cluster.kafka_answers = False
        await cluster.lose(Place(0, 0))
        assert await cluster.choice.choose([0]) == 1

    run(use)


@pytest.mark.parametrize("is_lost_first", [True, False], ids=["the server is lost first", "Kafka is lost first"])
def test_outdated_offsets_show_only_what_a_server_had_before_it_was_lost(
    is_lost_first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readings, "OUTDATED_SECONDS", 0.0)

    async def use(cluster: Cluster) -> None:
        await cluster.choice.choose([0])
        if is_lost_first:
            await cluster.lose(Place(0, 0))
            await cluster.choice.refresh()
        cluster.kafka_answers = False
        # The loaders of the first replica still reach Kafka, and those of the second one are behind.
        cluster.stored[0][0] = 12
        if is_lost_first:
            assert await cluster.choice.choose([0]) == 1
            return
        await cluster.lose(Place(0, 0))
        with pytest.raises(Unavailable, match="Kafka did not answer"):
            await cluster.choice.choose([0])
        await cluster.find(Place(0, 0))
        assert await cluster.choice.choose([0]) == 0

    run(use)


def test_without_any_reading_the_replica_is_not_changed() -> None:
    async def use(cluster: Cluster) -> None:
        cluster.kafka_answers = False
        assert await cluster.choice.choose([0]) == 0
        await cluster.lose(Place(0, 0))
        with pytest.raises(Unavailable, match="Kafka did not answer"):
            await cluster.choice.choose([0])

    run(use)


def test_a_replica_whose_loaders_were_set_back_is_left() -> None:
    async def use(cluster: Cluster) -> None:
        await cluster.choice.choose(BOTH)
        await cluster.choice.refresh()
        cluster.stored[0][0] = 0
        await cluster.choice.refresh()
        assert [await cluster.choice.choose([shard]) for shard in BOTH] == [1, 0]
        assert await cluster.choice.choose(BOTH) == 1

    run(use)


def test_offsets_of_a_topic_that_was_created_again_are_not_compared_with_those_before() -> None:
    async def use(cluster: Cluster) -> None:
        await cluster.choice.choose(BOTH)
        await cluster.choice.refresh()
        cluster.epoch, cluster.stored = EPOCH + 1, [{0: 3, 1: 3}, {0: 3, 1: 3}]
        await cluster.choice.refresh()
        assert await cluster.choice.choose(BOTH) == 0
        await cluster.lose(Place(0, 0))
        assert await cluster.choice.choose([0]) == 1

    run(use)


def test_what_a_silent_server_showed_of_an_earlier_topic_is_not_waited_for() -> None:
    async def use(cluster: Cluster) -> None:
        await cluster.choice.choose([0])
        await cluster.lose(Place(0, 0))
        cluster.stored[1][0] = 9
        with pytest.raises(Unavailable, match="caught up"):
            await cluster.choice.choose([0])
        cluster.epoch, cluster.stored = EPOCH + 1, [{}, {}]
        assert await cluster.choice.choose([0]) == 1

    run(use)


@pytest.mark.parametrize(
    ("stored", "chosen"),
    [(10 * ALIKE, 1), (11, 0)],
    ids=["the first replica is far behind", "the first replica is hardly behind"],
)
def test_a_replica_that_was_chosen_without_kafka_is_chosen_again(stored: int, chosen: int) -> None:
    async def use(cluster: Cluster) -> None:
        interrupted: list[int] = []
        cluster.stored[1][0], cluster.kafka_answers = stored, False
        assert await cluster.choice.choose(BOTH) == 0
        await cluster.choice.refresh()
        assert await cluster.choice.choose(BOTH) == 0
        cluster.kafka_answers = True
        with cluster.health.watched([Place(0, 0)], lambda: interrupted.append(0)):
            await cluster.choice.refresh()
        assert [await cluster.choice.choose([shard]) for shard in BOTH] == [chosen, 0]
        assert interrupted == [0] * chosen
        cluster.stored[1 - chosen][0] = 90 * ALIKE
        await cluster.choice.refresh()
        assert await cluster.choice.choose([0]) == chosen

    run(use)


def test_a_replica_that_was_chosen_without_kafka_stays_until_another_one_has_what_it_showed() -> None:
    async def use(cluster: Cluster) -> None:
        cluster.stored = [{0: 10, 2: 10}, {0: 10 * ALIKE, 2: 9}]
        cluster.kafka_answers = False
        assert await cluster.choice.choose([0]) == 0
        cluster.kafka_answers = True
        await cluster.choice.refresh()
        assert await cluster.choice.choose([0]) == 0

    run(use)


def test_callers_are_notified_of_an_unreachable_server_only_while_they_listen() -> None:
    async def use(cluster: Cluster) -> None:
        heard: list[str] = []
        with cluster.health.watched([Place(0, 0)], lambda: heard.append("inside")):
            await cluster.lose(Place(1, 0))
            assert heard == []
            await cluster.lose(Place(0, 0))
        await cluster.find(Place(0, 0))
        await cluster.lose(Place(0, 0))
        assert heard == ["inside"]

    run(use)
