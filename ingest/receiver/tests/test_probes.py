"""Tests that /readyz says why a receiver refuses requests."""

import asyncio
from dataclasses import dataclass

import pytest

from ingest.receiver.worker import receiver_probes
from kit.ops import Notice, Readiness


@dataclass(frozen=True)
class Part:
    """Fake of the directory and of the producer."""

    reason: str | None = None

    def problem(self) -> str | None:
        return self.reason


@pytest.mark.parametrize(
    ("producer", "topic", "shown", "ready"),
    [
        (Part(), None, "ok", True),
        (Part("Kafka cannot be reached: it timed out"), None, "Kafka cannot be reached: it timed out", False),
        (Part(), "no broker answers", "no broker answers", False),
        (Part("Kafka cannot be reached"), "wrong LOGSIEVE_KAFKA_CA_FILE", "wrong LOGSIEVE_KAFKA_CA_FILE", False),
        (Part("it timed out"), Notice("partitions without a leader: 3"), "it timed out", False),
        (Part(), Notice("partitions without a leader: 3"), "partitions without a leader: 3", True),
    ],
)
def test_kafka_is_not_ready_while_all_requests_are_refused_because_of_it(
    producer: Part, topic: str | None, shown: str, ready: bool
) -> None:
    async def brokers() -> str | None:
        return topic

    result = asyncio.run(Readiness(receiver_probes(Part(), producer, brokers)).result())
    assert (result.checks, result.ready) == ({"keys": "ok", "kafka": shown}, ready)
