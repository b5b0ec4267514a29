"""Tests that the loader reports messages which Kafka deleted before they were loaded, and loads the others."""

import json
import re
import secrets
import signal
import time
from collections.abc import Iterator

import httpx2
import pytest
from confluent_kafka import IsolationLevel, Producer, TopicPartition
from confluent_kafka.admin._listoffsets import OffsetSpec

from kit.kafka import kafka_connection
from kit.settings import Settings
from kit.tls import trusted
from schema.envelope import Envelope
from schema.topic import admin
from tests.ingest.pipeline import Pipeline
from tests.ingest.requests import request_of
from tests.running_stack import borrowed_offset

EVENT = "Kafka deleted messages before they were loaded"


def delete_before(pipeline: Pipeline, offset: int) -> None:
    """Deletes the messages of partition 0 before `offset`, like Kafka's retention."""
    client = admin(pipeline.settings)
    place = TopicPartition(pipeline.settings.kafka_topic, 0, offset)
    for deleted in client.delete_records([place]).values():
        assert deleted.result().low_watermark == offset


def end(pipeline: Pipeline) -> int:
    """Returns the offset that the next message of partition 0 will get."""
    place = TopicPartition(pipeline.settings.kafka_topic, 0)
    latest: OffsetSpec = OffsetSpec.latest()  # type: ignore[no-untyped-call]  # confluent-kafka has no types here
    uncommitted: IsolationLevel = IsolationLevel.READ_UNCOMMITTED
    client = admin(pipeline.settings)
    [answer] = client.list_offsets({place: latest}, isolation_level=uncommitted, request_timeout=10).values()
    return int(answer.result().offset)


def send_aborted(pipeline: Pipeline, messages: int) -> None:
    """Sends a transaction of `messages` messages to partition 0 and aborts it. They and a marker take offsets."""
    settings = pipeline.settings
    producer = Producer({**kafka_connection(settings), "transactional.id": secrets.token_hex(8)})
    producer.init_transactions(30)
    producer.begin_transaction()
    now = time.time_ns()
    envelope = Envelope(1, 0, "r30", 4096, now)
    for _ in range(messages):
        value = request_of(now).SerializeToString()
        producer.produce(settings.kafka_topic, value, headers=envelope.headers(), partition=0)
    assert producer.flush(30) == 0
    producer.abort_transaction(30)


def lost(port_offset: int) -> int:
    """Returns the number of messages that the loader counts as lost in partition 0."""
    port = Settings(port_offset=port_offset).port(Settings().loader_port)
    text = httpx2.get(f"http://127.0.0.1:{port}/metrics", timeout=10, verify=trusted()).text
    found = re.search(r'^logsieve_loader_lost_total{.*partition="0".*} (\S+)', text, re.M)
    return 0 if found is None else int(float(found[1]))


@pytest.fixture
def offset() -> Iterator[int]:
    """Yields the port offset of both loaders. Because it is the same, Kafka assigns the partitions to the second one at
    once."""
    with borrowed_offset() as borrowed:
        yield borrowed


def test_what_kafka_deleted_meanwhile_is_reported(offset: int, pipeline: Pipeline) -> None:
    pipeline.send(messages=4, partition=0)
    first = pipeline.start_loader(LOGSIEVE_PORT_OFFSET=str(offset))
    pipeline.wait_until_stored()
    send_aborted(pipeline, messages=3)
    pipeline.wait(lambda: end(pipeline) == 8, "the transaction's marker is written")
    pipeline.send(messages=4, partition=0)
    pipeline.wait(lambda: pipeline.committed(0) == 12, "all of it is committed")
    assert EVENT not in pipeline.log_file(0).read_text()
    first.terminate()
    assert first.wait(20) == 0

    # Offsets below 12 are eight messages and the four offsets of the transaction. Of the next six messages, four are
    # deleted.
    stored = pipeline.sent.copy()
    pipeline.send(messages=6, partition=0)
    delete_before(pipeline, 16)
    second = pipeline.start_loader(LOGSIEVE_PORT_OFFSET=str(offset))
    pipeline.wait(lambda: pipeline.stored().total() == stored.total() + 2 * 5, "what is left is stored")
    assert lost(offset) == 4
    [reported] = [
        line for line in map(json.loads, pipeline.log_file(1).read_text().splitlines()) if line["event"] == EVENT
    ]
    assert reported["level"] == "error"
    assert (reported["partition"], reported["expected"], reported["first_kept"], reported["messages"]) == (0, 12, 16, 4)

    # Further messages are lost while the loader has the partition. It is stopped, and then fetches from an offset that
    # no longer exists.
    second.send_signal(signal.SIGSTOP)
    pipeline.send(messages=1, partition=0)
    time.sleep(0.3)
    pipeline.send(messages=6, partition=0)
    delete_before(pipeline, 24)
    pipeline.send(messages=1, partition=0)
    second.send_signal(signal.SIGCONT)
    pipeline.wait(lambda: lost(offset) > 4, "the second loss is counted")
    assert 4 + 5 <= lost(offset) <= 4 + 6
    assert second.poll() is None
