"""Reads the first and the last offset of each partition of the log topic."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._listoffsets import OffsetSpec

from ingest.loader.topic_offsets import read_offsets
from kit.errors import Unavailable
from kit.settings import Settings
from schema.coordinates import LogPosition
from schema.topic import admin

REQUEST_SECONDS: Final = 2.0


class TopicBounds(NamedTuple):
    """Offsets of the first message and of the next message of each partition whose leader answered. `unanswered` are
    all other partitions."""

    first: Mapping[int, int]
    end: Mapping[int, int]
    unanswered: frozenset[int] = frozenset()


class TopicBoundsReader:
    """Reads the bounds of the partitions. Kafka's client is made for the first reading."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._thread = ThreadPoolExecutor(1, "topic-bounds")
        self._client: AdminClient | None = None

    async def read(self) -> TopicBounds:
        """Returns the present bounds. Raises Unavailable if no broker answers, InvalidRequest as `admin` does."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._read)

    def close(self) -> None:
        """Drops readings that have not started. Does not wait for a running one."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _read(self) -> TopicBounds:
        client = self._client or admin(self._settings)
        # If a client knows no leader of a partition, it answers without looking for one. A new client therefore makes
        # the next reading, unless this reading has the bounds of all partitions.
        self._client = None
        topic = self._settings.kafka_topic
        earliest: OffsetSpec = OffsetSpec.earliest()  # type: ignore[no-untyped-call]  # confluent-kafka has no types here
        latest: OffsetSpec = OffsetSpec.latest()  # type: ignore[no-untyped-call]  # confluent-kafka has no types here
        try:
            partitions = client.list_topics(topic, timeout=REQUEST_SECONDS).topics[topic].partitions.keys()
            end, unanswered = read_offsets(client, topic, partitions, latest, REQUEST_SECONDS)
            first, without_first = read_offsets(client, topic, end.keys(), earliest, REQUEST_SECONDS)
        except KafkaException as error:
            raise Unavailable(f"the offsets of the log topic cannot be read: {error.args[0].str()}") from error
        if not partitions:
            raise Unavailable("the offsets of the log topic cannot be read: Kafka names no partition of the topic")
        if not unanswered and not without_first:
            self._client = client
        return TopicBounds(_offsets(first), _offsets(end), frozenset(partitions - first.keys()))


def _offsets(positions: Mapping[int, LogPosition]) -> dict[int, int]:
    return {partition: position.offset for partition, position in positions.items()}
