"""Reads the offsets up to which each replica of the log store has stored the topic. Loaders commit them to Kafka."""

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

from confluent_kafka import KafkaException, TopicPartition

from ingest.committed.intent import resume_position
from kit.errors import Unavailable
from kit.kafka import kafka_connection
from kit.settings import Settings
from schema.committed_offsets import CommittedOffsets
from schema.coordinates import TopicId
from schema.topic import TopicIdReader

REQUEST_SECONDS: Final = 2.0

ALIKE: Final = 1_000
"""Number of messages of a shard, at most a tenth of all, by which replicas may differ and still count as equal. Of
equal replicas, the first one is chosen. Processes that start therefore choose the same replica, although no two loaders
have stored equally many messages."""


@dataclass(frozen=True, slots=True)
class Reach:
    """Offsets of each topic partition that say which messages a replica has.

    All messages before `stored` are stored. Messages from `stored` to `intended` may be stored. No message from
    `intended` on is stored, because loaders commit the intent of an insert before the insert
    (ingest/committed/intent.py).
    """

    stored: Mapping[int, int]
    intended: Mapping[int, int]
    epoch: int = 0
    """Epoch of the topic, which the ids of its records contain. It changes when the topic is created again."""

    def has(self, needed: Mapping[int, int]) -> bool:
        """Returns whether the replica has all messages before the offsets in `needed`, by partition."""
        return all(self.stored.get(number, 0) >= end for number, end in needed.items())


def any_intended(replicas: Sequence[Reach]) -> tuple[Mapping[int, int], int]:
    """Returns, for each partition, the first offset that no replica can have stored, and the epoch of the topic."""
    ends = dict[int, int]()
    for replica in replicas:
        for number, end in replica.intended.items():
            ends[number] = max(end, ends.get(number, 0))
    return ends, replicas[0].epoch


def furthest(replicas: Sequence[Reach] | None, shards: Sequence[int], of_shards: int, able: Sequence[int]) -> int:
    """Returns the first of the replicas `able` that have at most ALIKE messages of the shards fewer than the one of
    these replicas with the most. There are `of_shards` shards. Without any reading, returns the first of `able`."""
    if replicas is None:
        return able[0]
    counts = {
        each: sum(end for number, end in replicas[each].stored.items() if number % of_shards in shards) for each in able
    }
    largest = max(counts.values())
    return next(each for each in able if counts[each] >= largest - min(ALIKE, largest // 10))


class ReachReader:
    """Reads the reach of every replica. Kafka's clients are made for the first reading."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._thread = ThreadPoolExecutor(1, "replica-reach")
        self._committed: list[CommittedOffsets] = []
        """Readers of the offsets of each replica's loaders; empty before the first reading."""
        self._topic_ids = TopicIdReader(settings, REQUEST_SECONDS)

    async def read(self) -> tuple[Reach, ...]:
        """Returns what each replica has stored, replica 0 first. Raises Unavailable if Kafka does not answer."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._read)

    def close(self) -> None:
        """Closes Kafka's clients after the readings that have begun. Does not wait for that."""
        self._thread.submit(self._close)
        self._thread.shutdown(wait=False)

    def _close(self) -> None:
        for each in self._committed:
            each.close()

    def _read(self) -> tuple[Reach, ...]:
        try:
            if not self._committed:
                # All clients connect at the same time.
                config: dict[str, Any] = {**kafka_connection(self._settings), "log_level": 0}
                groups = [replica.consumer_group for replica in self._settings.each_replica]
                self._committed = [CommittedOffsets(config, group, self._settings.kafka_topic) for group in groups]
            # Offsets of a topic that was deleted mean other messages than those of the topic that was created again.
            topic, partitions = self._topic_ids.describe()
            return tuple(_reach(each.read(partitions, REQUEST_SECONDS), topic) for each in self._committed)
        except KafkaException as error:
            raise Unavailable(
                f"the offsets of the replicas' loaders could not be read from Kafka: {error.args[0].str()}. Searches "
                "work again when Kafka is back."
            ) from error


def _reach(committed: Sequence[TopicPartition], topic: TopicId) -> Reach:
    """Returns the reach of a replica whose loaders have committed these offsets."""
    stored, intended = dict[int, int](), dict[int, int]()
    for each in committed:
        if each.offset >= 0:
            position = resume_position(each, topic)
            stored[each.partition] = position.start or 0
            intended[each.partition] = position.stored_before
    return Reach(stored, intended, topic.epoch)
