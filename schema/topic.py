"""The Kafka topics of accepted requests and of dead letters: their settings, creation and ids."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from confluent_kafka import KafkaError, KafkaException, TopicCollection
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from kit.errors import Internal, InvalidRequest, Unavailable
from kit.kafka import configuration_refusal, kafka_connection
from kit.kafka_refusal import KafkaRefusal
from kit.ops import Notice
from kit.settings import Settings
from schema.coordinates import TopicId

MESSAGE_MAX_BYTES = 20 * 2**20
"""Largest message of the topic, in bytes: the largest request (16 MiB) with its headers, and room for larger
settings."""

DEAD_MESSAGE_MAX_BYTES = MESSAGE_MAX_BYTES + 2**20
"""Largest dead letter, in bytes: the largest message and the headers with its reason."""

DEAD_RETENTION_DAYS = 30

DEAD_RETENTION_BYTES = 8 * 2**30
"""Size of the dead-letter topic, in bytes as stored, above which Kafka drops the oldest dead letters. Kafka drops whole
segments, so the topic may have one segment more."""

ADMIN_SECONDS = 10.0
PROBE_SECONDS = 1.5


def topic_config() -> dict[str, str]:
    """Returns the settings with which the topic is created. All others are the broker's."""
    return {
        "cleanup.policy": "delete",
        # The producer has compressed the messages already.
        "compression.type": "producer",
        "max.message.bytes": str(MESSAGE_MAX_BYTES),
    }


def dead_topic_config() -> dict[str, str]:
    """Returns the settings with which the dead-letter topic is created. Dead letters are kept longer than logs, because
    people need time to examine them."""
    return topic_config() | {
        "max.message.bytes": str(DEAD_MESSAGE_MAX_BYTES),
        "retention.ms": str(DEAD_RETENTION_DAYS * 86_400_000),
        # Dead letters of `insert_limit` never stop a loader, so one tenant may cause many large ones.
        "retention.bytes": str(DEAD_RETENTION_BYTES),
    }


def ensure_topics(settings: Settings) -> None:
    """Creates the topics that are missing. Existing topics stay unchanged.

    The replication factor is the broker's default. Raises Unavailable when no broker answers, or when a broker refuses.
    """
    topics = [
        NewTopic(settings.kafka_topic, num_partitions=settings.kafka_partitions, config=topic_config()),
        # One partition: dead letters are few, and are read from the first to the last.
        NewTopic(settings.kafka_dead_topic, num_partitions=1, config=dead_topic_config()),
    ]
    refusal = KafkaRefusal()
    client = admin(settings, refusal)
    for created in client.create_topics(topics, operation_timeout=ADMIN_SECONDS).values():
        try:
            created.result()
        except KafkaException as error:
            if error.args[0].code() == KafkaError.TOPIC_ALREADY_EXISTS:
                continue
            failure = _translated(error, "cannot create", refusal.reason(client))
            if isinstance(failure, Internal):
                failure = Unavailable(
                    f"{failure.detail}: give Kafka's user the right to create topics, or create the topics"
                    f" {settings.kafka_topic} and {settings.kafka_dead_topic} yourself, then run the command again"
                )
            raise failure from error


def topic_probe(settings: Settings) -> Callable[[], Awaitable[str | None]]:
    """Returns a readiness probe. Its result is None while the brokers answer and have the topic, otherwise the reason.

    Partitions without a leader are a Notice, because a process is of use for the others.
    """
    refusal = KafkaRefusal()
    client = admin(settings, refusal)

    def probe() -> str | None:
        try:
            topic = client.list_topics(settings.kafka_topic, timeout=PROBE_SECONDS).topics[settings.kafka_topic]
        except KafkaException as error:
            cause: KafkaError = error.args[0]
            return refusal.reason(client) or cause.str()
        refusal.clear()
        if topic.error is not None:
            return topic.error.str()
        without = sorted(number for number, partition in topic.partitions.items() if partition.leader < 0)
        return Notice(f"partitions without a leader: {', '.join(map(str, without))}") if without else None

    return lambda: asyncio.to_thread(probe)


def read_topic_id(settings: Settings) -> TopicId:
    """Returns the topic's present id. Raises Unavailable when no broker answers or the topic does not exist."""
    return TopicIdReader(settings).read()


class TopicIdReader:
    """Reads the topic's id and keeps its client for the next read. Any thread may call its methods, which wait at most
    `seconds` for an answer."""

    def __init__(self, settings: Settings, seconds: float = ADMIN_SECONDS) -> None:
        self._settings = settings
        self._seconds = seconds
        self._kept: tuple[AdminClient, KafkaRefusal] | None = None

    def read(self) -> TopicId:
        """Returns the topic's present id. Raises Unavailable when no broker answers or the topic does not exist."""
        return self.describe()[0]

    def describe(self) -> tuple[TopicId, Sequence[int]]:
        """Like `read`, but also returns the numbers of the topic's partitions."""
        name = self._settings.kafka_topic
        connected = self._connected()
        client, refusal = connected
        try:
            described = client.describe_topics(TopicCollection([name]), request_timeout=self._seconds)
            topic = described[name].result()
        except KafkaException as error:
            # A new client may ask another broker than the one that did not answer.
            if self._kept is connected:
                self._kept = None
            reason = refusal.reason(client)
            # The error is part of a cycle with this frame. The client's threads must end before the cycle is collected.
            del client, connected
            raise _translated(error, "cannot describe", reason) from error
        uuid = topic.topic_id
        topic_id = TopicId.from_halves(uuid.get_most_significant_bits(), uuid.get_least_significant_bits())
        return topic_id, sorted(partition.id for partition in topic.partitions)

    def _connected(self) -> tuple[AdminClient, KafkaRefusal]:
        connected = self._kept
        if connected is None:
            refusal = KafkaRefusal()
            connected = self._kept = admin(self._settings, refusal), refusal
        return connected


def admin(settings: Settings, refusal: KafkaRefusal | None = None) -> AdminClient:
    """Returns an admin client for Kafka. Keep a reference to it while requests run, because its deletion cancels them.

    `refusal` receives the reasons why brokers refuse the connections. Raises InvalidRequest for settings that no client
    can have, such as a certificate file that does not exist.
    """
    config: dict[str, Any] = {
        **kafka_connection(settings),
        "socket.timeout.ms": 10_000,
        "log_level": 4,
        "error_cb": refusal or KafkaRefusal(),
    }
    try:
        return AdminClient(config, logger=logging.getLogger("librdkafka"))
    except KafkaException as error:
        raise InvalidRequest(configuration_refusal(error.args[0], settings)) from error


def _translated(error: KafkaException, what: str, refused: str | None) -> Unavailable | Internal:
    cause: KafkaError = error.args[0]
    if refused is not None:
        return Unavailable(f"{what} the topic: {refused}")
    is_unreachable = cause.retriable() or cause.code() in (
        KafkaError._TRANSPORT,
        KafkaError._TIMED_OUT,
        KafkaError._ALL_BROKERS_DOWN,
        KafkaError.UNKNOWN_TOPIC_OR_PART,
    )
    return (Unavailable if is_unreachable else Internal)(f"{what} the topic: {cause.str()}")
