"""Tests that three brokers keep every message and acknowledge further ones when one of them is killed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin._metadata import PartitionMetadata

from ingest.receiver.producer import DELIVERY_MS, producer_config
from kit.settings import Settings
from schema.topic import admin, ensure_topics
from stack.broker.node import brokers
from tests.eventually import eventually
from tests.stack.small_stack import SmallStack, kill, small_stack

NAMES = ("kafka", "kafka-2", "kafka-3")


@pytest.fixture
def three(tmp_path: Path) -> Iterator[SmallStack]:
    stack = small_stack(tmp_path / "home")
    done = stack.logsieve("up", *NAMES, "--brokers", "3")
    assert done.returncode == 0, done.stderr
    yield stack
    done = stack.logsieve("down")
    assert (done.returncode, "was killed" in done.stderr + done.stdout) == (0, False), done.stderr


def test_a_killed_leader_costs_a_pause_and_no_message(three: SmallStack) -> None:
    settings = Settings(home=three.home, port_offset=three.offset)
    ensure_topics(settings)
    assert three.logsieve("up", *NAMES, "--brokers", "1").returncode == 1
    assert all(len(each.isrs) == len(each.replicas) == 3 for each in partitions(settings).values())

    write(settings, "before")
    leader = partitions(settings)[0].leader
    name = brokers(settings)[leader - 1].name
    kill(three.service(name)["pid"])
    write(settings, "without a leader")

    assert partitions(settings)[0].leader != leader
    eventually(
        lambda: all(len(each.isrs) == 3 for each in partitions(settings).values()),
        "every replica is in sync again",
        seconds=60,
    )
    assert three.service(name)["restarts"] == 1


def write(settings: Settings, text: str) -> None:
    """Writes a message to each partition. Fails the test unless all are acknowledged within the receiver's time."""
    errors: list[object] = []
    producer = Producer(producer_config(settings))
    for partition in range(settings.kafka_partitions):
        producer.produce(
            settings.kafka_topic, text, partition=partition, on_delivery=lambda error, _: errors.append(error)
        )
    assert producer.flush(2 * DELIVERY_MS / 1000) == 0
    assert errors == [None] * settings.kafka_partitions


def partitions(settings: Settings) -> dict[int, PartitionMetadata]:
    return dict(admin(settings).list_topics(settings.kafka_topic, timeout=10).topics[settings.kafka_topic].partitions)
