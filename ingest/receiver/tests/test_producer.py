"""Tests the producer without a broker."""

import asyncio

import pytest

from ingest.receiver.breaker import PAUSE_SECONDS
from ingest.receiver.producer import TopicProducer
from ingest.receiver.tests.fakes import NOW, TENANT
from kit.clock import ManualClock
from kit.errors import LogsieveError, TooLarge, Unavailable
from kit.settings import Settings
from schema.envelope import Envelope
from schema.topic import MESSAGE_MAX_BYTES

MEMORY = 64 * 1024
ENVELOPE = Envelope(TENANT.id, 0, "r30", 4096, NOW)


@pytest.mark.parametrize(
    ("size", "refusal", "reason"),
    [
        (MEMORY + 1, Unavailable, "too many requests are waiting for Kafka"),
        (MESSAGE_MAX_BYTES + 1, TooLarge, "larger than a Kafka message"),
    ],
)
def test_a_message_that_is_not_queued_does_not_use_up_the_one_that_is_tried(
    size: int, refusal: type[LogsieveError], reason: str
) -> None:
    async def send() -> None:
        clock = ManualClock(NOW)
        settings = Settings(kafka_bootstrap="127.0.0.1:9", kafka_security="PLAINTEXT")
        producer = TopicProducer(settings, MEMORY, lambda _: 1, lambda: None, clock)
        async with asyncio.timeout(30):
            while producer.problem() is None:
                await asyncio.sleep(0.01)
        clock.advance(PAUSE_SECONDS)
        with pytest.raises(refusal, match=reason):
            await producer.send(ENVELOPE, bytes(size))
        producer.check(TENANT.id)
        await producer.close()

    asyncio.run(send())
