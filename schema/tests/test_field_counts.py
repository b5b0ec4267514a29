"""Counts of native code are those of plain Python, for odd messages and for fields with few and with many values."""

import random
from collections.abc import Sequence

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs, SeverityNumber
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from schema.coordinates import Coordinates
from schema.envelope import Envelope, Undecodable
from schema.otlp import LogMessage, decode_message, field_counts
from schema.tests.field_counts_oracle import MOST_FIELDS, counted, read_block, together
from schema.tests.otlp_messages import Messages
from tests.chance import SEED, repetitions

NOW = 1_795_000_000 * 10**9
QUARTER_NS = 900 * 10**9
LAST_NS = 4_294_000_000 * 10**9
"""A time near the end of a DateTime; later ones are counted in its last quarter."""

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
    for number in range(repetitions(150)):
        raws: list[Raw] = []
        while len(raws) < 4:
            envelope = Envelope(1 + number % 2, 0, "r30", 4096, NOW)
            raw = odd.any()
            try:
                rows = decode_message(raw, envelope, Coordinates(1, 0, 0))
            except Undecodable:
                continue
            if all(time < LAST_NS for time in rows.timestamp):
                raws.append((raw, envelope))
        total += check(raws)
    assert total > 0


def test_counts_of_random_batches_are_those_of_plain_python() -> None:
    batches = Batches(SEED)
    assert sum(check(batches.any()) for _ in range(repetitions(25))) > 0


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
    assert check([(serialized(*parts), Envelope(1, 0, "r30", 4096, NOW))]) == 2 * MOST_FIELDS


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


def test_times_after_the_last_quarter_are_counted_in_it() -> None:
    record = LogRecord(time_unix_nano=2**64 - 1, attributes=[pair("a", "b")])
    raw = serialized(ResourceLogs(scope_logs=[ScopeLogs(log_records=[record])]))
    found = read_block(field_counts(messages([(raw, Envelope(1, 0, "r30", 4096, NOW))])))
    assert {key[5] for key in found} == {(2**32 - 1) // 900 * 900}


def test_without_fields_there_is_no_block() -> None:
    raw = serialized(ResourceLogs(scope_logs=[ScopeLogs(log_records=[LogRecord()])]))
    assert field_counts(messages([(raw, Envelope(1, 0, "r30", 4096, NOW))])) == b""
    assert field_counts([]) == b""
