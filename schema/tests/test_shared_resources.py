"""Tests that rows of one resource share its map, which is made once for all of them."""

import time

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from logsieve_native import Message, Rows


def resource_logs(names: list[str], records: int) -> ResourceLogs:
    pairs = [KeyValue(key=name, value=AnyValue(string_value=f"value of {name}")) for name in names]
    return ResourceLogs(
        resource=Resource(attributes=pairs), scope_logs=[ScopeLogs(log_records=[LogRecord()] * records)]
    )


def rows_of(*each: ResourceLogs) -> Rows:
    rows = Rows()
    request = ExportLogsServiceRequest(resource_logs=each).SerializeToString()
    rows.append(Message(request, received_at=5), tenant_id=1, cohort="r30", body_max_bytes=10, first_record_id=0)
    return rows


def seconds_of(rows: Rows) -> float:
    """Returns the shortest processor time of this thread that column `resource` takes."""
    times = []
    for _ in range(7):
        before = time.thread_time()
        rows.column("resource")
        times.append(time.thread_time() - before)
    return min(times)


def test_each_row_has_the_map_of_its_resource() -> None:
    parts = [([], 2), (["a"], 3), ([], 1), (["b", "a"], 2), (["b", "a"], 1), (["c"], 0), (["a"], 1), ([], 2)]
    found = rows_of(*(resource_logs(names, records) for names, records in parts)).column("resource")

    expected = [{name: f"value of {name}" for name in names} for names, records in parts for _ in range(records)]
    assert found == expected
    objects = [id(each) for each in found]
    assert [objects.count(each) for each in dict.fromkeys(objects)] == [2, 3, 1, 3, 1, 2]


def test_attributes_of_a_resource_take_time_once_for_all_its_rows() -> None:
    records = 20_000
    small = rows_of(resource_logs(["a"], records))
    large = rows_of(resource_logs([f"name {number}" for number in range(128)], records))

    # A map for each row would take about a hundred times as long.
    assert seconds_of(large) < 20 * seconds_of(small)
