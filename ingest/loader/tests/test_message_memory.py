"""Tests that the memory of small messages is counted, not only their content."""

from confluent_kafka import Message

from ingest.loader.batch import MESSAGE_BYTES
from ingest.loader.claim import Claim
from ingest.loader.partition import OwnedPartition
from ingest.loader.standstill import StandstillWatch
from ingest.loader.tests.buffers import buffer
from ingest.loader.tests.rows import some_rows
from kit.clock import ManualClock
from schema.envelope import Envelope

VALUE = bytes(some_rows(1).message.value)
HEADERS = Envelope(7, 2, "r30", 4096, 1).headers()


def message(offset: int) -> Message:
    return Message(topic="logs", partition=0, offset=offset, value=VALUE, headers=HEADERS)


def test_undecoded_messages_count_with_their_objects() -> None:
    partition = OwnedPartition(Claim(StandstillWatch(ManualClock()), 0.0), buffer())
    for offset in range(3):
        partition.receive(message(offset))
    assert partition.held_bytes == 3 * (len(VALUE) + MESSAGE_BYTES)
    partition.take_message()
    assert partition.held_bytes == 2 * (len(VALUE) + MESSAGE_BYTES)
