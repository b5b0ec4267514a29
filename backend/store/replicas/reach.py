"""Reads the offsets up to which each replica of the log store has stored the topic. Loaders commit them to Kafka."""

import asyncio
import logging
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from ingest.loader.intent import ResumePosition
from kit.errors import Unavailable
from kit.kafka import kafka_connection
from kit.settings import Settings
from schema.committed_offsets import committed_offsets
from schema.coordinates import TopicId
from schema.kafka_message import position_of
from schema.topic import read_topic_id

REQUEST_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True)
class Reach:
    """Offsets of each topic partition that say which messages a replica has.

    All messages before `stored` are stored. Messages from `stored` to `intended` may be stored. No message from
    `intended` on is stored, because loaders commit the intent of an insert before the insert (ingest/loader/intent.py).
    """

    stored: Mapping[int, int]
    intended: Mapping[int, int]
    epoch: int = 0
    """Epoch of the topic, which the ids of its records contain."""


class ReachReader:
    """Reads the reach of every replica. Kafka's client is made for the first reading."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._thread = ThreadPoolExecutor(1, "replica-reach")
        self._client: AdminClient | None = None
        self._topic: TopicId | None = None

    async def read(self) -> tuple[Reach, ...]:
        """Returns what each replica has stored, replica 0 first. Raises Unavailable if Kafka does not answer."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._read)

    def close(self) -> None:
        """Drops readings that have not started. Does not wait for a running one."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _read(self) -> tuple[Reach, ...]:
        try:
            if self._client is None:
                config: dict[str, Any] = {**kafka_connection(self._settings), "log_level": 0}
                self._client = AdminClient(config, logger=logging.getLogger("librdkafka"))
            if self._topic is None:
                self._topic = read_topic_id(self._settings)
            return tuple(self._of(replica.consumer_group) for replica in self._settings.each_replica)
        except KafkaException as error:
            raise Unavailable(
                f"the offsets of the replicas' loaders could not be read from Kafka: {error.args[0].str()}. Searches "
                "work again when Kafka is back."
            ) from error

    def _of(self, group: str) -> Reach:
        assert self._client is not None
        assert self._topic is not None
        stored, intended = dict[int, int](), dict[int, int]()
        for each in committed_offsets(self._client, group, self._settings.kafka_topic, REQUEST_SECONDS):
            position = ResumePosition.read(position_of(each), each.metadata, self._topic)
            start = position.start or 0
            stored[each.partition] = start
            intended[each.partition] = position.intended_end or start
        return Reach(stored, intended, self._topic.epoch)
