"""Tests that pages are read from replicas that have what earlier pages showed, and which cursors are refused."""

import asyncio

import pytest

from backend.store.replicas import choose
from backend.store.replicas.shown import NOTHING_SHOWN, Shown
from backend.store.replicas.tests.cluster import EPOCH, Cluster, run
from backend.store.tests.fake_log_store import stored_row
from kit.errors import InvalidCursor, Unavailable
from schema.coordinates import INDEX_BITS, Coordinates

pytestmark = pytest.mark.usefixtures("quick_catch_up")


def message(partition: int, offset: int, epoch: int = EPOCH) -> int:
    return Coordinates(epoch, partition, offset).first_record_id >> INDEX_BITS


@pytest.mark.parametrize(
    ("shown", "is_there"),
    [
        (Shown((1,), (message(0, 9),)), True),
        (Shown((1,), (message(0, 10),)), False),
        (Shown((1,), (message(0, 9), message(2, 12))), False),
        (Shown((1,), (message(0, 9), message(1, 12))), True),
        (Shown((1,), (message(0, 10, EPOCH + 1),)), True),
        (Shown((0,), (message(0, 10),)), True),
        (Shown((0, 1), (message(0, 10),)), True),
        (Shown((1, 0), (message(0, 10),)), False),
    ],
)
def test_a_page_is_read_from_a_replica_that_has_what_earlier_pages_showed(shown: Shown, is_there: bool) -> None:
    async def use(cluster: Cluster) -> None:
        await cluster.choice.choose([0])
        # Replica 1 showed these messages.
        cluster.stored[1] |= {0: 11, 2: 13}
        if is_there:
            await cluster.choice.wait_for(0, shown)
        else:
            with pytest.raises(Unavailable, match="caught up"):
                await cluster.choice.wait_for(0, shown)
            cluster.stored[0] = {0: 99, 1: 99, 2: 99}
            await cluster.choice.wait_for(0, shown)

    run(use)


def test_a_page_that_waits_without_kafka_says_so() -> None:
    async def use(cluster: Cluster) -> None:
        cluster.kafka_answers = False
        assert await cluster.choice.choose([0]) == 0
        with pytest.raises(Unavailable, match="Kafka did not answer"):
            await cluster.choice.wait_for(0, Shown((1,), (message(0, 9),)))
        cluster.kafka_answers = True
        await cluster.choice.wait_for(0, Shown((1,), (message(0, 9),)))

    run(use)


@pytest.mark.parametrize(
    "shown",
    [
        Shown((1,), (message(0, 2**48 - 1),)),
        Shown((1,), (message(0, 9), message(4, 0))),
        Shown((1, 0), (message(0, 10),)),
    ],
)
def test_a_cursor_with_records_that_no_replica_has_costs_one_reading(shown: Shown) -> None:
    async def use(cluster: Cluster) -> None:
        await cluster.choice.choose([0])
        await cluster.choice.refresh()
        readings = cluster.readings
        with pytest.raises(InvalidCursor, match="a record that no replica of ClickHouse has"):
            await cluster.choice.wait_for(0, shown)
        assert cluster.readings == readings + 1

    run(use)


def test_records_that_a_replica_got_since_the_last_reading_are_possible(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose, "CATCH_UP_SECONDS", 30.0)

    async def use(cluster: Cluster) -> None:
        await cluster.choice.choose([0])
        await cluster.choice.refresh()
        readings = cluster.readings
        cluster.intended[1] = {0: 11}
        waiting = asyncio.create_task(cluster.choice.wait_for(0, Shown((1,), (message(0, 10),))))
        while cluster.readings < readings + 2:
            await asyncio.sleep(0)
        assert not waiting.done()
        cluster.stored[0][0] = 11
        await waiting

    run(use)


@pytest.mark.parametrize("replicas", [(7,), (0, 2)])
def test_a_cursor_of_a_replica_that_does_not_exist_costs_no_reading(replicas: tuple[int, ...]) -> None:
    async def use(cluster: Cluster) -> None:
        with pytest.raises(InvalidCursor, match=rf"replica {replicas[-1]} .* there are 2, .* start the search again"):
            await cluster.choice.wait_for(0, Shown(replicas))
        assert cluster.readings == 0

    run(use)


def test_pages_add_up_to_the_last_message_of_each_partition() -> None:
    ids = [Coordinates(EPOCH, partition, offset).first_record_id + 7 for partition, offset in ((0, 3), (0, 5), (2, 1))]
    pages = [[stored_row(0, each) for each in page] for page in (ids[:1], ids[1:], ids[:1])]
    shown = NOTHING_SHOWN
    for replica, page in enumerate(pages):
        shown = shown.with_records([replica, replica], page)
    assert shown == Shown((2,), (message(0, 5), message(2, 1)))
    assert shown.with_records([0, 1], []) == Shown((0, 1), (message(0, 5), message(2, 1)))
