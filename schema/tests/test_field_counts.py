"""Tests that native code counts like plain Python, for odd messages and for fields with few and with many values."""

import itertools
import random
import time
from collections.abc import Sequence

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs, SeverityNumber
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from schema.clickhouse.fields_rollup import MAX_FIELDS
from schema.coordinates import Coordinates
from schema.envelope import Envelope, Undecodable
from schema.otlp import LogMessage, decode_message, field_counts
from schema.tests.field_counts_oracle import LAST_SECOND, counted, read_block, together
from schema.tests.otlp_messages import Messages, field
from tests.chance import SEED, repetitions
from tests.peak_memory import peak_memory, reset_peak_memory

NOW = 1_795_000_000 * 10**9
QUARTER_NS = 900 * 10**9
MAX_MEMORY = 320 * 2**20
"""Bytes of memory for the rows of a million names (131 MiB) and their counts (80 MiB), with room to spare."""

MAX_BYTES = 16 * 2**20
"""Largest number of bytes of all counts of one tenant in a block."""

Raw = tuple[bytes, Envelope]


def messages(raws: Sequence[Raw]) -> list[LogMessage]:
    return [LogMessage.read(raw, envelope, Coordinates(1, 0, offset)) for offset, (raw, envelope) in enumerate(raws)]


def check(raws: Sequence[Raw]) -> int:
    """Compares the counts of a batch with the expected ones and returns how many there are."""
    parts = [decode_message(raw, envelope, Coordinates(1, 0, offset)) for offset, (raw, envelope) in enumerate(raws)]
    block = field_counts(messages(raws))
    assert block == field_counts(messages(raws)), "a repetition has the same block"
    found, expected = read_block(block), counted(together(parts))
    assert found == expected
    return len(found)


def pair(key: str, value: str) -> KeyValue:
    return KeyValue(key=key, value=AnyValue(string_value=value))


def serialized(*parts: ResourceLogs) -> bytes:
    return ExportLogsServiceRequest(resource_logs=parts).SerializeToString()


class Batches:
    """Random batches: each field has its own number of values and its own skew."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def any(self) -> list[Raw]:
        choose = self._random
        size = choose.choice((1, 5, 30, 100, 600))
        names = [self._name(number) for number in range(choose.choice((1, 6, 6, 40)))]
        values = {name: choose.choice((1, 2, 15, 16, 17, 63, 64, 65, 250, 258, 400, 10_000)) for name in names}
        skews = {name: choose.choice((1, 1, 3, 10)) for name in names}
        times = [NOW - choose.randrange(choose.choice((1, 4))) * QUARTER_NS for _ in range(3)]
        return [self._message(size, values, skews, times) for _ in range(choose.choice((1, 1, 4)))]

    def _message(self, size: int, values: dict[str, int], skews: dict[str, int], times: list[int]) -> Raw:
        choose = self._random
        parts = []
        for _ in range(choose.choice((1, 1, 3))):
            records = [
                LogRecord(
                    time_unix_nano=choose.choice(times),
                    severity_number=SeverityNumber.ValueType(choose.randrange(26)),
                    severity_text=choose.choice(("", "INFO", "x" * 300)),
                    event_name=f"event {choose.randrange(choose.choice((1, 500)))}",
                    attributes=self._pairs(values, skews),
                )
                for _ in range(choose.randrange(size) + 1)
            ]
            scope = InstrumentationScope(name=choose.choice(("", "s", "t")), version=choose.choice(("", "1")))
            few = {name: values[name] for name in list(values)[:6]}
            service = pair("service.name", f"service {choose.randrange(3)}")
            parts.append(
                ResourceLogs(
                    resource=Resource(attributes=[service, *self._pairs(few, skews)]),
                    scope_logs=[ScopeLogs(scope=scope, log_records=records)],
                )
            )
        tenant = choose.choice((1, 1, 2))
        return serialized(*parts), Envelope(tenant, 0, choose.choice(("r30", "r30", "r7")), 4096, NOW)

    def _pairs(self, values: dict[str, int], skews: dict[str, int]) -> list[KeyValue]:
        choose = self._random
        return [
            pair(name, self._value(int(most * choose.random() ** skews[name])))
            for name, most in values.items()
            if choose.random() < 0.9
        ]

    def _value(self, number: int) -> str:
        return "" if number == 7 else "long" * 80 if number == 3 else f"value {number}"

    def _name(self, number: int) -> str:
        return {0: "", 1: "ä" * 129, 2: "n" * 256}.get(number, f"name {number}")


def test_counts_of_odd_messages_are_those_of_plain_python() -> None:
    odd, total = Messages(SEED), 0
    for number in range(repetitions(100)):
        raws: list[Raw] = []
        while len(raws) < 4:
            envelope = Envelope(1 + number % 2, 0, "r30", 4096, NOW)
            raw = odd.any()
            try:
                LogMessage.read(raw, envelope, Coordinates(1, 0, 0))
            except Undecodable:
                continue
            raws.append((raw, envelope))
        total += check(raws)
    assert total > 0


def test_counts_of_random_batches_are_those_of_plain_python() -> None:
    batches = Batches(SEED)
    assert sum(check(batches.any()) for _ in range(repetitions(600))) > 0


@pytest.mark.parametrize("different", [1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 257, 258, 600])
@pytest.mark.parametrize("often", [0, 1, 2, 3, 50])
def test_values_around_each_limit_are_those_of_plain_python(different: int, often: int) -> None:
    randomness = random.Random(different)
    values = [f"value {number}" for number in range(different)] + [f"often {number % 5}" for number in range(5 * often)]
    randomness.shuffle(values)
    records = [LogRecord(time_unix_nano=NOW, attributes=[pair("a", value)]) for value in values]
    parts = [
        ResourceLogs(resource=Resource(attributes=[pair("r", value)]), scope_logs=[ScopeLogs(log_records=[record])])
        for value, record in zip(values, records, strict=True)
    ]
    assert check([(serialized(*parts), Envelope(1, 0, "r30", 4096, NOW))]) > 0


@pytest.mark.parametrize("where", ["attributes", "resource"])
def test_the_most_frequent_names_are_kept(where: str) -> None:
    names = [f"name {number % 1_500}" for number in range(1_900)]
    random.Random(SEED).shuffle(names)
    parts = [
        ResourceLogs(
            resource=Resource(attributes=[pair(name, "x")] if where == "resource" else []),
            scope_logs=[
                ScopeLogs(
                    log_records=[
                        LogRecord(time_unix_nano=NOW, attributes=[pair(name, "x")] if where == "attributes" else [])
                    ]
                )
            ],
        )
        for name in names
    ]
    assert check([(serialized(*parts), Envelope(1, 0, "r30", 4096, NOW))]) == 2 * MAX_FIELDS


def test_a_shared_resource_counts_in_the_quarters_of_its_records() -> None:
    times = [NOW - number % 5 * QUARTER_NS for number in range(60)]
    records = [LogRecord(time_unix_nano=time) for time in times]
    parts = [
        ResourceLogs(
            resource=Resource(attributes=[pair("host.name", host), pair("zone", "a")]),
            scope_logs=[ScopeLogs(log_records=records[:30]), ScopeLogs(log_records=records[30:])],
        )
        for host in ("web-1", "web-2")
    ]
    assert check([(serialized(*parts), Envelope(1, 0, "r30", 4096, NOW))]) == 5 * 5


def test_times_after_the_last_quarter_of_a_column_are_counted_in_it() -> None:
    record = LogRecord(time_unix_nano=2**64 - 1, attributes=[pair("a", "b")])
    raw = serialized(ResourceLogs(scope_logs=[ScopeLogs(log_records=[record])]))
    found = read_block(field_counts(messages([(raw, Envelope(1, 0, "r30", 4096, NOW))])))
    assert {key[5] for key in found} == {LAST_SECOND // 900 * 900}


def test_a_million_names_take_no_more_memory_than_their_rows() -> None:
    # As the library would write it, but in a second.
    numbers = itertools.count()
    record = b"".join(field(6, pair("xxxxxx", "").SerializeToString()) for _ in range(20)).replace(b"xxxxxx", b"%06x")
    logs = b"".join(field(2, record % tuple(itertools.islice(numbers, 20))) for _ in range(50_000))
    raws = [(field(1, field(2, logs)), Envelope(1, 0, "r30", 4096, NOW))]
    before = reset_peak_memory()
    found = read_block(field_counts(messages(raws)))
    assert len(found) == 2 * MAX_FIELDS
    assert peak_memory() - before < MAX_MEMORY


def test_a_resource_in_thousands_of_quarters_is_counted_up_to_a_bound() -> None:
    resource = Resource(attributes=[pair(f"{number:x}", "") for number in range(500)])
    records = [LogRecord(time_unix_nano=NOW - number * QUARTER_NS) for number in range(4_000)]
    raw = serialized(ResourceLogs(resource=resource, scope_logs=[ScopeLogs(log_records=records)]))
    block = field_counts(messages([(raw, Envelope(1, 0, "r30", 4096, NOW))]))
    assert MAX_BYTES // 2 < len(block) < MAX_BYTES
    small = serialized(ResourceLogs(scope_logs=[ScopeLogs(log_records=[LogRecord(event_name="e")])]))
    both = [(raw, Envelope(1, 0, "r30", 4096, NOW)), (small, Envelope(2, 0, "r30", 4096, NOW))]
    assert len(field_counts(messages(both))) > len(block), "another tenant's fields are counted"
    other_quarter = LogRecord(time_unix_nano=NOW + QUARTER_NS, event_name="e")
    later = serialized(ResourceLogs(scope_logs=[ScopeLogs(log_records=[other_quarter])]))
    same = [(raw, Envelope(1, 0, "r30", 4096, NOW)), (later, Envelope(1, 0, "r30", 4096, NOW))]
    assert field_counts(messages(same)) == block, "no further fields of the tenant are counted"


def test_a_resource_in_a_hundred_thousand_quarters_takes_little_longer_than_the_quarters_alone() -> None:
    def seconds_for(names: int) -> float:
        resource = Resource(attributes=[pair(f"{number:x}", "") for number in range(names)])
        records = [LogRecord(time_unix_nano=NOW - number * QUARTER_NS) for number in range(99_900)]
        raw = serialized(ResourceLogs(resource=resource, scope_logs=[ScopeLogs(log_records=records)]))
        read = messages([(raw, Envelope(1, 0, "r30", 4096, NOW))])
        started = time.process_time()
        field_counts(read)
        return time.process_time() - started

    assert seconds_for(500) < 15 * seconds_for(0)


def test_without_fields_there_is_no_block() -> None:
    raw = serialized(ResourceLogs(scope_logs=[ScopeLogs(log_records=[LogRecord()])]))
    assert field_counts(messages([(raw, Envelope(1, 0, "r30", 4096, NOW))])) == b""
    assert field_counts([]) == b""
