"""Tests that counts of fields are exactly once, also when an insert failed between table and view."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.loader.insert import Inserter
from kit.clickhouse import connect
from kit.errors import LogsieveError
from schema.columns import NAMES
from schema.coordinates import Coordinates
from schema.envelope import Envelope
from schema.otlp import LogMessage, native_block
from tests.ingest.pipeline import DAY_NS, Pipeline, new_pipeline
from tests.ingest.requests import request_of
from tests.running_stack import Stack

RECORDS = 100
MANY_RECORDS = 5_000
NAMES_EACH = 19
MOST_MEMORY = 300 * 2**20
"""Bytes of memory for an insert of MANY_RECORDS records. With a sketch for each name, it took 4 GB."""


@pytest.fixture(scope="module")
def writer(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Inserter, Pipeline]]:
    with new_pipeline(stack, Path(tmp_path_factory.mktemp("fields"))) as pipeline:
        inserter = Inserter(pipeline.settings)
        yield inserter, pipeline
        inserter.close()


def batch(tenant_id: int) -> list[LogMessage]:
    """Returns records on two days.

    `level` has four values, `request` one for each record, `text` one that is too long.
    """
    now = time.time_ns()
    request = request_of(*(now - number % 2 * DAY_NS for number in range(RECORDS)))
    [resource] = request.resource_logs
    attribute = resource.resource.attributes.add()
    attribute.key, attribute.value.string_value = "host.name", "web-1"
    for number, record in enumerate(resource.scope_logs[0].log_records):
        record.severity_number = 17  # type: ignore[assignment]  # the stubs have a type of their own for it
        for key, value in (("level", f"level-{number % 4}"), ("request", f"id-{number}"), ("text", "x" * 300)):
            attribute = record.attributes.add()
            attribute.key, attribute.value.string_value = key, value
    envelope = Envelope(tenant_id, 0, "r30", 4096, now)
    return [LogMessage.read(request.SerializeToString(), envelope, Coordinates(1, 0, tenant_id))]


def counts(pipeline: Pipeline, tenant_id: int) -> dict[tuple[str, ...], int]:
    sql = (
        "SELECT toString(kind), source, field, value, sum(records) FROM fields_0"
        f" WHERE tenant_id = {tenant_id} AND field IN ('level', 'request', 'text', 'host.name', 'severity')"
        " GROUP BY kind, source, field, value"
    )
    with connect(pipeline.settings) as client:
        return {tuple(names): count for *names, count in client.query(sql).result_rows}


EXPECTED = {
    ("field", "attributes", "level", ""): RECORDS,
    ("field", "attributes", "request", ""): RECORDS,
    ("field", "attributes", "text", ""): RECORDS,
    ("field", "resource", "host.name", ""): RECORDS,
    ("field", "record", "severity", ""): RECORDS,
    ("value", "resource", "host.name", "web-1"): RECORDS,
    ("value", "record", "severity", "error"): RECORDS,
    **{("value", "attributes", "level", f"level-{number}"): RECORDS // 4 for number in range(4)},
}
"""Expected counts.

`request` has no values, because there are as many as records; `text` has none, because they are too long.
"""


def test_a_repeated_insert_counts_once(writer: tuple[Inserter, Pipeline]) -> None:
    inserter, pipeline = writer
    messages = batch(1)
    for _ in range(3):
        inserter.insert(0, 0, messages, "token-1")

    assert counts(pipeline, 1) == EXPECTED


@pytest.mark.parametrize(("tenant_id", "refused"), [(2, "attributes"), (3, "record")])
def test_an_insert_that_failed_in_a_view_is_completed_by_its_repetition(
    writer: tuple[Inserter, Pipeline], tenant_id: int, refused: str
) -> None:
    inserter, pipeline = writer
    messages, token = batch(tenant_id), f"token-{tenant_id}"
    with connect(pipeline.settings) as client:
        client.command(f"ALTER TABLE fields_0 ADD CONSTRAINT no CHECK source != '{refused}'")
        try:
            with pytest.raises(LogsieveError):
                inserter.insert(0, 0, messages, token)
        finally:
            client.command("ALTER TABLE fields_0 DROP CONSTRAINT no")
    assert counts(pipeline, tenant_id) != EXPECTED

    inserter.insert(0, 0, messages, token)
    inserter.insert(0, 0, messages, token)

    assert counts(pipeline, tenant_id) == EXPECTED
    assert pipeline.query(f"SELECT 1, count() FROM logs_0 WHERE tenant_id = {tenant_id}") == [(1, RECORDS)]


def test_counts_are_in_the_partitions_of_their_records(writer: tuple[Inserter, Pipeline]) -> None:
    inserter, pipeline = writer
    inserter.insert(0, 0, batch(4), "token-4")

    of_logs = pipeline.query("SELECT DISTINCT cohort, toDate(timestamp) AS day FROM logs_0 ORDER BY ALL")
    of_fields = pipeline.query("SELECT DISTINCT cohort, toDate(bucket) AS day FROM fields_0 ORDER BY ALL")
    assert of_fields == of_logs


@pytest.mark.parametrize(("tenant_id", "where"), [(5, "attributes"), (6, "resource")])
def test_names_that_are_all_different_cost_little_memory(
    writer: tuple[Inserter, Pipeline], tenant_id: int, where: str
) -> None:
    _, pipeline = writer
    now = time.time_ns()
    request = request_of(*(now,) * MANY_RECORDS) if where == "attributes" else request_of(now)
    [logs] = request.resource_logs
    if where == "resource":
        for _ in range(MANY_RECORDS - 1):
            request.resource_logs.add().CopyFrom(logs)
        holders = [each.resource.attributes for each in request.resource_logs]
    else:
        holders = [each.attributes for each in logs.scope_logs[0].log_records]
    for number, attributes in enumerate(holders):
        for each in range(NAMES_EACH):
            attribute = attributes.add()
            attribute.key, attribute.value.string_value = f"name-{number * NAMES_EACH + each}", "value"
    envelope = Envelope(tenant_id, 0, "r30", 4096, now)
    block = native_block([LogMessage.read(request.SerializeToString(), envelope, Coordinates(1, 0, tenant_id))])

    with connect(pipeline.settings) as client:
        client.raw_insert("logs_0", NAMES, block, {"max_memory_usage": MOST_MEMORY}, fmt="Native")

    kept = pipeline.query(
        f"SELECT uniqExact(field), sum(records) FROM fields_0"
        f" WHERE tenant_id = {tenant_id} AND source = '{where}' AND kind = 'field'"
    )
    assert kept == [(1_000, 1_000)], "the most that are kept"


def test_values_that_are_kept_among_many_are_exact(writer: tuple[Inserter, Pipeline]) -> None:
    inserter, pipeline = writer
    now = time.time_ns()
    request = request_of(*(now,) * MANY_RECORDS)
    for number, record in enumerate(request.resource_logs[0].scope_logs[0].log_records):
        attribute = record.attributes.add()
        attribute.key, attribute.value.string_value = "mixed", "often" if number % 50 == 49 else f"id-{number}"
    envelope = Envelope(7, 0, "r30", 4096, now)
    inserter.insert(0, 0, [LogMessage.read(request.SerializeToString(), envelope, Coordinates(1, 0, 7))], "token-7")

    with connect(pipeline.settings) as client:
        rows = client.query(
            "SELECT value, sum(records) FROM fields_0 WHERE tenant_id = 7 AND field = 'mixed' GROUP BY value ORDER BY 1"
        ).result_rows
    assert list(rows) == [("", MANY_RECORDS), ("often", MANY_RECORDS // 50)]
