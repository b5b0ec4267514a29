"""Tests that a statement over all shards brings shards that are read from different replicas to one replica."""

import asyncio

import pytest

from backend.store.replicas import readings
from backend.store.replicas.tests.cluster import BOTH, Cluster, run
from kit.errors import Unavailable
from kit.topology import Place


async def read_apart(cluster: Cluster) -> None:
    """Lets statements read shard 0 from replica 1, and shard 1 from replica 0, while all servers answer."""
    await cluster.choice.choose(BOTH)
    await cluster.lose(Place(0, 0))
    assert await cluster.choice.choose([0]) == 1
    await cluster.find(Place(0, 0))
    assert [cluster.choice.in_use([shard]) for shard in BOTH] == [1, 0]


async def readings_after(cluster: Cluster, count: int) -> None:
    before = cluster.readings
    while cluster.readings < before + count:
        await asyncio.sleep(0)


async def load(cluster: Cluster) -> None:
    """Loads a message of each partition after the other. Each replica of a shard stores it before the other replica has
    stored the one before."""
    for stored in cluster.stored:
        for partition in stored:
            stored[partition] += 1
    for intended, stored in zip(cluster.intended, cluster.stored, strict=True):
        intended.update({partition: end + 5 for partition, end in stored.items()})


async def count_while_apart(cluster: Cluster) -> asyncio.Task[int]:
    """Starts a statement over both shards, which are read from different replicas and have loaded further records."""
    await read_apart(cluster)
    await load(cluster)
    return asyncio.create_task(cluster.choice.choose(BOTH))


@pytest.mark.usefixtures("patient_catch_up")
def test_while_records_arrive_one_replica_is_read_as_soon_as_it_has_what_was_shown() -> None:
    async def use(cluster: Cluster) -> None:
        counting = await count_while_apart(cluster)
        while not counting.done() and cluster.readings < 1_000:
            await readings_after(cluster, 1)
            await load(cluster)
        together = await asyncio.wait_for(counting, 0)
        assert [cluster.choice.in_use([shard]) for shard in BOTH] == [together, together]

    run(use)


@pytest.mark.usefixtures("patient_catch_up")
def test_statements_of_a_paused_replica_are_sent_again_to_the_one_that_is_read_next() -> None:
    async def use(cluster: Cluster) -> None:
        interrupted = asyncio.Event()
        counting = await count_while_apart(cluster)
        with (
            cluster.health.watched([Place(0, 1)], interrupted.set),
            cluster.health.watched([Place(1, 0)], interrupted.set),
        ):
            while not interrupted.is_set():
                await readings_after(cluster, 1)
                await load(cluster)
        again = [asyncio.create_task(cluster.choice.choose([shard])) for shard in BOTH]
        while not counting.done():
            await readings_after(cluster, 1)
            await load(cluster)
        together = await counting
        assert await asyncio.gather(*again) == [together, together]

    run(use)


async def pause(cluster: Cluster) -> tuple[asyncio.Task[int], int]:
    """Starts a statement over both shards, and loads records until it has paused a replica. Returns the statement and
    the replica that it waits for."""
    counting = await count_while_apart(cluster)
    while not (paused := [each for each in (0, 1) if cluster.choice.pauses.include(BOTH, each)]):
        await readings_after(cluster, 1)
        await load(cluster)
    return counting, 1 - paused[0]


@pytest.mark.usefixtures("patient_catch_up")
def test_a_pause_ends_with_the_statement() -> None:
    async def use(cluster: Cluster) -> None:
        counting, _ = await pause(cluster)
        counting.cancel()
        await asyncio.wait([counting])
        assert [await cluster.choice.choose([shard]) for shard in BOTH] == [1, 0]

    run(use)


@pytest.mark.usefixtures("patient_catch_up")
def test_a_paused_replica_is_read_if_the_awaited_one_ends() -> None:
    async def use(cluster: Cluster) -> None:
        counting, awaited = await pause(cluster)
        await cluster.lose(Place(awaited, awaited))
        async with asyncio.timeout(20):
            while not counting.done():
                await readings_after(cluster, 1)
                await load(cluster)
        assert await counting == 1 - awaited

    run(use)


@pytest.mark.usefixtures("quick_catch_up")
def test_a_replica_that_does_not_catch_up_stops_nothing() -> None:
    async def use(cluster: Cluster) -> None:
        await read_apart(cluster)
        cluster.intended[1], cluster.intended[0] = {0: 12}, {1: 12}
        with pytest.raises(Unavailable):
            await cluster.choice.choose(BOTH)
        assert [await cluster.choice.choose([shard]) for shard in BOTH] == [1, 0]

    run(use)


def test_shards_that_were_read_from_different_replicas_are_searched_together_while_kafka_is_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def use(cluster: Cluster) -> None:
        await read_apart(cluster)
        await cluster.choice.refresh()
        cluster.kafka_answers = False
        await cluster.choice.refresh()
        monkeypatch.setattr(readings, "OUTDATED_SECONDS", 0.0)
        assert await cluster.choice.choose(BOTH) in (0, 1)

    run(use)
