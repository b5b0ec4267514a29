"""Tests that a prepared request gets new numbers and times each time it is sent, and that the pace gives the rate."""

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from loadtest.corpus.records import LARGE, NUMBER, SMALL, Shape
from loadtest.traffic import prepared
from loadtest.traffic.prepared import FIRST_NUMBER, Pace, PreparedRequests

PACE = Pace(records=3, interval=0.1, requests=8)


def records_of(body: bytes) -> list[LogRecord]:
    return list(ExportLogsServiceRequest.FromString(body).resource_logs[0].scope_logs[0].log_records)


def size_of(record: LogRecord) -> int:
    """Returns the size of a record in bytes, counted as in `Shape.size`."""
    attributes = sum(
        len(each.key) + len(each.value.string_value or str(each.value.int_value)) for each in record.attributes
    )
    return len(record.body.string_value) + attributes


@pytest.mark.parametrize("shape", [SMALL, LARGE])
def test_every_record_has_a_number_a_time_and_its_size(shape: Shape, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepared, "POOL_BYTES", 2 * PACE.records * shape.size)
    requests = PreparedRequests(shape, 1, PACE)

    sent = [requests.next(time_ns) for time_ns in range(1, PACE.requests + 1)]

    numbers = []
    for time_ns, (body, announced) in enumerate(sent, start=1):
        records = records_of(body)
        assert {record.time_unix_nano for record in records} == {time_ns}
        assert {record.observed_time_unix_nano for record in records} == {time_ns}
        assert {size_of(record) for record in records} == {shape.size}
        found = [each.value.int_value for record in records for each in record.attributes if each.key == NUMBER]
        assert found == list(announced)
        numbers += found
    assert numbers == list(range(FIRST_NUMBER, FIRST_NUMBER + PACE.records * PACE.requests))
    bodies = [records_of(body)[0].body.string_value for body, _ in sent]
    assert bodies[0] == bodies[2] != bodies[1]


@pytest.mark.parametrize(("rate", "seconds"), [(7_000.0, 30.0), (1.0, 5.0), (333.3, 10.0)])
def test_requests_make_the_rate(rate: float, seconds: float) -> None:
    pace = Pace.of(rate, seconds, tenants=4)

    assert pace.records / pace.interval == pytest.approx(rate)
    assert pace.requests * pace.interval == pytest.approx(seconds, abs=pace.interval)
