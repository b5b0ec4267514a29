"""Tests that ClickHouse reads blocks of native code correctly: columns of odd records, dictionaries of all widths."""

import time
from collections.abc import Iterator

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs

from ingest.loader.insert import Inserter
from kit.clickhouse import connect
from schema.columns import DECODED
from schema.coordinates import Coordinates
from schema.envelope import Envelope, Undecodable
from schema.log_columns import LogColumns
from schema.otlp import LogMessage, decode_message
from schema.tests.otlp_messages import Messages
from tests.chance import SEED, repetitions
from tests.running_stack import Stack

ODD_MESSAGES = repetitions(400)
WIDTHS = (1, 0x100, 0x101, 0x1_0000, 0x1_0001)
"""Numbers of distinct texts around the limits at which an index into a dictionary takes one, two and four bytes."""


TENANT = 4_200_000_000


@pytest.fixture
def inserter(stack: Stack) -> Iterator[Inserter]:
    with connect(stack.settings) as client:
        client.command(f"DELETE FROM logs_0 WHERE tenant_id >= {TENANT} AND tenant_id <= {TENANT + max(WIDTHS)}")
    inserter = Inserter(stack.settings)
    yield inserter
    inserter.close()


def stored(stack: Stack, tenant_id: int) -> dict[str, list[object]]:
    """Returns the columns of a tenant's rows, ordered by id. Times are nanoseconds."""
    columns = [
        f"toUnixTimestamp64Nano({each.name}) AS {each.name}_ns" if each.type.startswith("DateTime64") else each.name
        for each in DECODED
    ]
    sql = f"SELECT {', '.join(columns)} FROM logs_0 WHERE tenant_id = {tenant_id} ORDER BY id"
    with connect(stack.settings) as client:
        found = client.query(sql, column_oriented=True).result_columns
    return {each.name: list(values) for each, values in zip(DECODED, found, strict=True)}


def check(stack: Stack, inserter: Inserter, raws: list[bytes], tenant_id: int) -> LogColumns:
    """Inserts messages like the loader, and compares all stored columns with the decoded ones, which it returns."""
    envelope = Envelope(tenant_id, 0, "native", 4096, time.time_ns())
    expected, messages = LogColumns(), []
    for offset, raw in enumerate(raws):
        coordinates = Coordinates(1, 0, offset)
        messages.append(LogMessage.read(raw, envelope, coordinates))
        expected.extend(decode_message(raw, envelope, coordinates))
    inserter.insert(0, 0, messages, f"native-{tenant_id}-{envelope.received_at}", lambda: None)
    found = stored(stack, tenant_id)
    for column, values in zip(DECODED, expected.lists(), strict=True):
        assert found[column.name] == values, column.name
    return expected


def test_odd_records_come_back_as_they_were(stack: Stack, inserter: Inserter) -> None:
    messages, raws = Messages(SEED), list[bytes]()
    while len(raws) < ODD_MESSAGES:
        raw = messages.any()
        try:
            decode_message(raw, Envelope(1, 0, "r30", 4096, 1), Coordinates(1, 0, 0))
        except Undecodable:
            continue
        raws.append(raw)
    assert len(check(stack, inserter, raws, TENANT)) > ODD_MESSAGES


@pytest.mark.parametrize("width", WIDTHS)
def test_dictionaries_of_every_width_come_back(stack: Stack, inserter: Inserter, width: int) -> None:
    now = time.time_ns()
    records = [
        LogRecord(
            time_unix_nano=now,
            severity_text=f"severity-{number}",
            body=AnyValue(string_value="x" * (number % 300)),
            attributes=[KeyValue(key=f"key-{number}", value=AnyValue(string_value=f"value-{number}"))],
        )
        for number in range(width)
    ]
    request = ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=[ScopeLogs(log_records=records)])])
    expected = check(stack, inserter, [request.SerializeToString()], TENANT + width)
    assert len(set(expected.severity_text)) == width
