"""The producer of the dead-letter topic. Loaders write dead letters with it, and erasures copy them."""

import logging
from collections.abc import Callable
from typing import Final

from confluent_kafka import Producer

from kit.kafka import kafka_connection
from kit.settings import Settings

LARGEST_BYTES: Final = 100 * 2**20
"""Largest dead letter, in bytes before compression. Larger than any message that a loader consumes, because the letter
of a compressed message is compressed again."""


def dead_letter_producer(settings: Settings, seconds: float) -> Producer:
    """Returns a producer whose messages either reach all in-sync replicas or fail after `seconds`."""
    config: dict[str, str | int | bool] = {
        **kafka_connection(settings),
        "acks": "all",
        "compression.type": "zstd",
        "message.max.bytes": LARGEST_BYTES,
        "message.timeout.ms": int(seconds * 1000),
        "reconnect.backoff.ms": 500,
        "reconnect.backoff.max.ms": 2_000,
    }
    return Producer(config, logger=logging.getLogger("librdkafka"))


def retry_while_full(producer: Producer, produce: Callable[[], None]) -> None:
    """Calls `produce`, which queues one message at the producer, and repeats it until the producer's queue has room."""
    while True:
        try:
            return produce()
        except BufferError:
            producer.poll(0.1)
