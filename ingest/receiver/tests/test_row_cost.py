"""Tests that a request counts by its rows if few bytes make many of them, and by its bytes if it has real logs."""

import asyncio
import dataclasses
from contextlib import closing

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from ingest.receiver.encoding import Encoding
from ingest.receiver.gate import OverLimit
from ingest.receiver.intake import Export
from ingest.receiver.memory import MemoryBudget
from ingest.receiver.row_cost import row_cost
from ingest.receiver.tests.fakes import NOW, TENANT, Receiver
from kit.clock import DAY_NS
from kit.settings import Settings
from logsieve_native import Message
from schema.control.limits import Limits, default_limits

RECORDS = 1000


def attribute(name: str, value: str) -> KeyValue:
    return KeyValue(key=name, value=AnyValue(string_value=value))


def request(record: LogRecord, *resource: KeyValue) -> bytes:
    record.time_unix_nano = NOW
    scope = ScopeLogs(scope=InstrumentationScope(name="shop"), log_records=[record] * RECORDS)
    logs = ResourceLogs(resource=Resource(attributes=resource), scope_logs=[scope])
    return ExportLogsServiceRequest(resource_logs=[logs]).SerializeToString()


def cost(value: bytes) -> int:
    return row_cost(Message(value, NOW))


REAL = request(
    LogRecord(
        body=AnyValue(string_value="connection to payments.internal:5432 refused after 3 attempts, giving up " * 3),
        attributes=[attribute(f"http.request.header.{each}", f"value number {each}") for each in range(10)],
    ),
    *(attribute(f"k8s.deployment.label.{each:02}", f"label-of-pod-{each:04}") for each in range(15)),
)
"""Request with ten attributes per record, and a resource of 15 attributes in some 700 bytes."""

LONG_RESOURCE = request(LogRecord(body=AnyValue(string_value="short")), attribute("long", "x" * 4000))
TINY_ATTRIBUTES = request(LogRecord(attributes=[KeyValue(key=f"{each:02}") for each in range(100)]))


def test_real_records_count_by_their_bytes() -> None:
    assert cost(REAL) < len(REAL)


def test_real_records_of_the_default_rate_are_within_the_default_bytes() -> None:
    limits = default_limits(Settings())
    assert limits.records_per_second is not None
    assert limits.bytes_per_second is not None
    a_record = max(cost(REAL), len(REAL)) / RECORDS
    assert a_record * limits.records_per_second < limits.bytes_per_second


def test_what_rows_repeat_of_a_resource_counts_a_quarter() -> None:
    assert cost(LONG_RESOURCE) == pytest.approx(RECORDS * (4000 + 16) / 4, rel=0.01)


def test_an_attribute_counts_32_bytes_at_least() -> None:
    assert cost(TINY_ATTRIBUTES) == pytest.approx(32 * 100 * RECORDS, rel=0.01)
    assert cost(TINY_ATTRIBUTES) > 4 * len(TINY_ATTRIBUTES)


@pytest.mark.parametrize(("days", "counted"), [(1, 0), (2, 0), (3, 1), (365, 363)])
def test_each_day_beyond_the_second_counts_half_a_mebibyte(days: int, counted: int) -> None:
    records = [LogRecord(time_unix_nano=NOW - each * DAY_NS) for each in range(days)]
    value = ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=[ScopeLogs(log_records=records)])])
    assert cost(value.SerializeToString()) == pytest.approx(counted * 2**19, abs=2**12)


@pytest.mark.parametrize("value", [LONG_RESOURCE, TINY_ATTRIBUTES])
def test_a_tenants_rate_counts_what_rows_cost(value: bytes) -> None:
    receiver = Receiver()
    rate = len(value)
    tenant = dataclasses.replace(TENANT, limits=Limits(bytes_per_second=rate))

    async def send_until_refused() -> int:
        intake = receiver.intake(Settings())
        with closing(intake):
            for sent in range(1000):
                with MemoryBudget(100_000_000).share(tenant.id) as share:
                    share.grow(len(value))
                    try:
                        await intake.take(tenant, Export(value, Encoding.protobuf, ""), share)
                    except OverLimit:
                        return sent
        return 1000

    # By their bytes, five such requests would fit into a tenant's bucket of 5 s.
    assert 1 <= asyncio.run(send_until_refused()) <= 2
