"""The broker keeps what it acknowledged when it is killed, and makes no topic by itself."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from kit.kafka import kafka_connection
from kit.settings import Settings
from tests.eventually import eventually
from tests.stack.small_stack import SmallStack, kill, small_stack

TOPIC = "kept"
MESSAGES = 1000


@pytest.fixture
def small(tmp_path: Path) -> Iterator[SmallStack]:
    stack = small_stack(tmp_path / "home")
    yield stack
    assert stack.logsieve("down").returncode == 0


def test_acknowledged_messages_survive_a_killed_broker(small: SmallStack) -> None:
    done = small.logsieve("up", "kafka")
    assert done.returncode == 0, done.stderr
    connection = kafka_connection(Settings(home=small.home, port_offset=small.offset))
    admin = AdminClient({**connection})
    admin.create_topics([NewTopic(TOPIC, num_partitions=1, replication_factor=1)])[TOPIC].result(timeout=20)

    refused: list[object] = []
    producer = Producer({**connection, "acks": "all"})
    for number in range(MESSAGES):
        producer.produce(TOPIC, str(number), on_delivery=lambda error, _: refused.append(error) if error else None)
    assert producer.flush(20) == 0
    assert refused == []

    kill(_kafka(small)["pid"])
    eventually(lambda: _restarted_and_ready(_kafka(small)), "kafka is ready again", seconds=60)

    consumer = Consumer({**connection, "group.id": "reader", "auto.offset.reset": "earliest"})
    try:
        consumer.assign([TopicPartition(TOPIC, 0, 0)])
        read = consumer.consume(MESSAGES, timeout=20)
    finally:
        consumer.close()
    assert [message.value() for message in read] == [str(number).encode() for number in range(MESSAGES)]
    topics = admin.list_topics("never-made", timeout=10).topics
    assert topics["never-made"].error is not None


def _restarted_and_ready(line: dict[str, Any]) -> bool:
    return int(line["restarts"]) >= 1 and str(line["state"]) == "ready"


def _kafka(small: SmallStack) -> dict[str, Any]:
    lines = json.loads(small.logsieve("status", "--json").stdout)["services"]
    found: dict[str, Any] = next(line for line in lines if line["name"] == "kafka")
    return found
