"""Tests that a receiver to which nobody sends becomes ready when Kafka starts after it."""

import asyncio
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.receiver.producer import TopicProducer
from ingest.receiver.worker import receiver_probes
from kit.clock import SystemClock
from kit.ops import Readiness
from kit.settings import Settings
from schema.topic import ensure_topics, topic_probe
from stack.broker.node import Broker, brokers
from stack.broker.prepare import command, prepare
from stack.health import kafka_health
from stack.ports import release_offset
from tests.eventually import eventually
from tests.running_stack import free_offset


class Keys:
    """Fake directory, which knows all keys."""

    def problem(self) -> str | None:
        return None


@pytest.fixture
def settings(tmp_path: Path) -> Iterator[Settings]:
    offset = free_offset()
    yield Settings(home=tmp_path, port_offset=offset)
    release_offset(offset)


def test_a_receiver_to_which_nobody_sends_is_ready_once_a_late_kafka_answers(settings: Settings) -> None:
    [broker] = brokers(settings)
    prepare(settings, broker)

    async def wait() -> None:
        producer = TopicProducer(settings, settings.receiver_memory_bytes, lambda _: 1, lambda: None, SystemClock())
        readiness = Readiness(receiver_probes(Keys(), producer, topic_probe(settings)))
        async with asyncio.timeout(120):
            while producer.problem() is None:
                await asyncio.sleep(0.1)
            process = await asyncio.to_thread(_start, settings, broker)
            try:
                while not (await readiness.result()).ready:
                    await asyncio.sleep(0.1)
            finally:
                await producer.close()
                process.kill()
                process.wait()

    asyncio.run(wait())


def _start(settings: Settings, broker: Broker) -> "subprocess.Popen[bytes]":
    process = subprocess.Popen(command(broker), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    eventually(lambda: kafka_health(settings)() is None, "the broker is ready", seconds=90)
    ensure_topics(settings)
    return process
