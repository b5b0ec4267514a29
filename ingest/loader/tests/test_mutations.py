"""Thousands of damaged messages: each gives rows or a dead letter, and all of them together make a batch."""

import random

from confluent_kafka import Message
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs, SeverityNumber
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from ingest.committed.intent import ResumePosition
from ingest.loader.batch import Batch, BatchLimits, DecodedMessage
from ingest.loader.decode import decode_or_dead_letter
from ingest.loader.partition_buffer import PartitionBuffer
from kit.clock import ManualClock
from schema.coordinates import LogPosition, TopicId
from schema.envelope import Envelope
from schema.kafka_message import Headers
from schema.otlp import native_block
from tests.chance import SEED, repetitions
from tests.peak_memory import peak_memory, reset_peak_memory

COUNT = repetitions(20_000)
NOW = 1_700_000_000_000_000_000
TOPIC = TopicId("abababababababababab00")
LIMITS = BatchLimits(rows=200, size=100_000, seconds=1.0, parts=100)
MEMORY = 128 * 2**20
HEADERS = Envelope(7, 2, "r30", 64, NOW).headers()


def request() -> bytes:
    """Returns a message with each kind of value, and with a body that is cut."""
    nested = KeyValueList(values=[KeyValue(key="ä", value=AnyValue(double_value=1.5))])
    listed = ArrayValue(values=[AnyValue(bool_value=True), AnyValue(), AnyValue(kvlist_value=nested)])
    record = LogRecord(
        time_unix_nano=NOW,
        severity_number=SeverityNumber.SEVERITY_NUMBER_INFO,
        severity_text="INFO",
        body=AnyValue(kvlist_value=nested),
        trace_id=bytes(range(16)),
        span_id=bytes(range(8)),
        flags=1,
        attributes=[
            KeyValue(key="n", value=AnyValue(int_value=2**53 + 1)),
            KeyValue(key="b", value=AnyValue(bytes_value=b"\x00\xff")),
            KeyValue(key="l", value=AnyValue(array_value=listed)),
        ],
    )
    long = LogRecord(observed_time_unix_nano=NOW, body=AnyValue(string_value="długie " * 20))
    resource_logs = ResourceLogs(
        resource=Resource(attributes=[KeyValue(key="service.name", value=AnyValue(string_value="checkout"))]),
        scope_logs=[ScopeLogs(log_records=[record, long, record])],
    )
    return ExportLogsServiceRequest(resource_logs=[resource_logs]).SerializeToString()


def damage(randomness: random.Random, body: bytes) -> bytes:
    """Changes, removes or repeats some bytes, or cuts off the end."""
    damaged = bytearray(body)
    for _ in range(randomness.randint(1, 6)):
        if not damaged:
            break
        at = randomness.randrange(len(damaged))
        match randomness.randrange(5):
            case 0:
                damaged[at] ^= 1 << randomness.randrange(8)
            case 1:
                damaged[at] = randomness.choice((0, 0x7F, 0x80, 0xFF))
            case 2:
                del damaged[at : at + randomness.randint(1, 9)]
            case 3:
                damaged[at:at] = damaged[at : at + randomness.randint(1, 60)] * randomness.randint(1, 4)
            case _:
                del damaged[at:]
    return bytes(damaged)


def damage_headers(randomness: random.Random) -> Headers:
    """Returns the standard headers; sometimes one is damaged or missing."""
    headers = list(HEADERS)
    at = randomness.randrange(len(headers))
    if randomness.random() < 0.1:
        name, value = headers[at]
        headers[at] = (name, damage(randomness, value.encode() if isinstance(value, str) else value or b""))
    elif randomness.random() < 0.05:
        del headers[at]
    return headers


def inserted_rows(batch: Batch) -> int:
    """Builds the block of each lane, as for an insert. Returns the number of rows in all blocks."""
    for messages in batch.lanes.values():
        assert any(native_block(messages))
    return sum(len(message) for messages in batch.lanes.values() for message in messages)


def test_damaged_messages_give_rows_or_a_dead_letter() -> None:
    randomness, body = random.Random(SEED), request()
    buffer = PartitionBuffer(0, ResumePosition(0), LIMITS, ManualClock(NOW), shard=0)
    rows = dead = batched_rows = batched_dead = 0
    before = reset_peak_memory()
    for offset in range(COUNT):
        value = damage(randomness, body)
        message = Message(value=value, headers=damage_headers(randomness), key=b"7")
        position = LogPosition(offset)
        decoded = decode_or_dead_letter(message, TOPIC, 0, position)
        if isinstance(decoded, DecodedMessage):
            rows += len(decoded.rows)
        else:
            dead += 1
            assert decoded.value == value
            assert decoded.code != "internal", (value, decoded.reason)
        if buffer.open and (buffer.full() or buffer.ends_before(position, decoded)):
            batch = buffer.take()
            batched_rows += inserted_rows(batch)
            batched_dead += len(batch.dead)
        buffer.add(position, decoded)
    batch = buffer.take()
    batched_rows += inserted_rows(batch)
    batched_dead += len(batch.dead)

    assert (batched_rows, batched_dead) == (rows, dead)
    assert rows > COUNT // 10
    assert dead > COUNT // 10
    assert peak_memory() - before < MEMORY
