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

QUEUE_BYTES: Final = 2 * LARGEST_BYTES
"""Bytes of messages that the producer holds until Kafka has confirmed them. Has room for the largest dead letter with
its headers, because the client would refuse a larger one permanently."""


def dead_letter_producer(settings: Settings, seconds: float) -> Producer:
    """Returns a producer whose messages either reach all in-sync replicas or fail after `seconds`."""
    config: dict[str, str | int | bool] = {
        **kafka_connection(settings),
        "acks": "all",
        "compression.type": "zstd",
        "message.max.bytes": LARGEST_BYTES,
        "queue.buffering.max.kbytes": QUEUE_BYTES // 1024,
        "message.timeout.ms": int(seconds * 1000),
        "reconnect.backoff.ms": 500,
        "reconnect.backoff.max.ms": 2_000,
    }
    return Producer(config, logger=logging.getLogger("librdkafka"))


def retry_while_full(producer: Producer, produce: Callable[[], None]) -> None:
    """Calls `produce`, which queues one message at the producer, and repeats it until the producer's queue has room.

    Then handles the reports of messages that were delivered or failed meanwhile. The producer keeps these messages in
    memory until their reports are handled.
    """
    while True:
        try:
            produce()
        except BufferError:
            producer.poll(0.1)
        else:
            producer.poll(0)
            return


def flush_while_sending(producer: Producer, seconds: float) -> int:
    """Waits until each queued message is delivered or has failed, or until none is for `seconds`. Returns the number of
    messages that are left."""
    left = producer.flush(seconds)
    while left:
        before, left = left, producer.flush(seconds)
        if left >= before:
            return left
    return 0
