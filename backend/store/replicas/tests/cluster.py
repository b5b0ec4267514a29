"""Two shards with two replicas in memory, for tests of which replica is read."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from backend.store.replicas.choose import ReplicaChoice
from backend.store.replicas.health import NodeHealth
from backend.store.replicas.reach import Reach
from kit.clock import SystemClock
from kit.errors import Unavailable
from kit.topology import Place

EPOCH: Final = 5
"""Epoch of the topic, until a test changes it."""

SHARDS, REPLICAS = 2, 2
PLACES = [Place(shard, replica) for replica in range(REPLICAS) for shard in range(SHARDS)]
BOTH = (0, 1)


class Cluster:
    """Two shards with two replicas, and a partition for each shard. All servers answer, and all have 10 messages."""

    def __init__(self) -> None:
        self.unreachable: set[Place] = set()
        self.late: set[Place] = set()
        self.stored = [{0: 10, 1: 10}, {0: 10, 1: 10}]
        self.intended: list[dict[int, int]] = [{}, {}]
        self.epoch = EPOCH
        self.kafka_answers = True
        self.readings = 0
        self.is_reading = asyncio.Event()
        self.may_read = asyncio.Event()
        """Until it is set, readings have seen the offsets and do not return."""
        self.may_read.set()
        self.health = NodeHealth(PLACES, self._probe, 1)
        self.choice = ReplicaChoice(SHARDS, REPLICAS, self.health, self._reach, SystemClock())

    async def _probe(self, place: Place) -> None:
        if place in self.unreachable:
            raise OSError(f"{place} is unreachable")
        if place in self.late:
            raise TimeoutError

    async def _reach(self) -> tuple[Reach, ...]:
        self.readings += 1
        if not self.kafka_answers:
            raise Unavailable("Kafka is unreachable")
        reach = tuple(
            Reach(dict(stored), stored | intended, self.epoch)
            for stored, intended in zip(self.stored, self.intended, strict=True)
        )
        self.is_reading.set()
        await self.may_read.wait()
        self.is_reading.clear()
        return reach

    async def lose(self, *places: Place) -> None:
        self.unreachable.update(places)
        await self.health.check(PLACES)

    async def delay(self, *places: Place) -> None:
        """Makes the probes of these servers fail, and the probes of all other servers succeed."""
        self.late = set(places)
        await self.health.check(PLACES)

    async def find(self, *places: Place) -> None:
        self.unreachable.difference_update(places)
        await self.health.check(PLACES)


def run(use: Callable[[Cluster], Awaitable[None]]) -> None:
    async def body() -> None:
        await use(Cluster())

    asyncio.run(body())
