"""Tests that each record is counted exactly once in counts of fields, even if the insert of counts failed before."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.loader.insert import Inserter
from ingest.loader.insert_sql import insert_settings, insert_target, once
from kit.clickhouse import connect
from kit.errors import LogsieveError, Unavailable
from schema.coordinates import Coordinates
from schema.drift import find_drift
from schema.envelope import Envelope
from schema.otlp import LogMessage, field_counts, native_block
from tests.ingest.pipeline import DAY_NS, Pipeline, new_pipeline
from tests.ingest.requests import request_of
from tests.running_stack import Stack
from tests.search.fields_by_views import create_views

RECORDS = 100
MANY_RECORDS = 5_000
NAMES_EACH = 19
MAX_MEMORY = 64 * 2**20
"""Bytes of memory that ClickHouse may use to insert the counts of MANY_RECORDS records without a common name."""


@pytest.fixture(scope="module")
def writer(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Inserter, Pipeline]]:
    with new_pipeline(stack, Path(tmp_path_factory.mktemp("fields")), LANES="1") as pipeline:
        inserter = Inserter(pipeline.settings)
        yield inserter, pipeline
        inserter.close()


def batch(tenant_id: int) -> list[LogMessage]:
    """Returns a message with RECORDS records on two days.

    Attribute `level` has four values, `request` a different one in each record, `text` one that is too long to be
    counted.
    """
    now = time.time_ns()
    request = request_of(*(now - number % 2 * DAY_NS for number in range(RECORDS)))
    [resource] = request.resource_logs
    attribute = resource.resource.attributes.add()
    attribute.key, attribute.value.string_value = "host.name", "web-1"
    for number, record in enumerate(resource.scope_logs[0].log_records):
        record.severity_number = 17  # type: ignore[assignment]  # the type stubs use a type of their own for it
        for key, value in (("level", f"level-{number % 4}"), ("request", f"id-{number}"), ("text", "x" * 300)):
            attribute = record.attributes.add()
            attribute.key, attribute.value.string_value = key, value
    envelope = Envelope(tenant_id, 0, "r30", 4096, now)
    return [LogMessage.read(request.SerializeToString(), envelope, Coordinates(1, 0, tenant_id))]


def load(inserter: Inserter, messages: list[LogMessage], token: str) -> None:
    """Inserts rows and their counts in the way of the loader."""
    counts = inserter.insert(0, 0, messages, token, lambda: None)
    inserter.insert_counts(0, 0, counts, f"{token}/fields", lambda: None)


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
"""Expected counts of `batch`, by kind, source, field and value.

There are none for values of `request`, because each record has a different one, nor for values of `text`, because they
are too long.
"""


def test_a_repeated_insert_counts_once(writer: tuple[Inserter, Pipeline]) -> None:
    inserter, pipeline = writer
    messages = batch(1)
    for _ in range(3):
        load(inserter, messages, "token-1")

    assert counts(pipeline, 1) == EXPECTED


@pytest.mark.parametrize(("tenant_id", "refused"), [(2, "attributes"), (3, "record")])
def test_counts_that_failed_are_completed_by_their_repetition(
    writer: tuple[Inserter, Pipeline], tenant_id: int, refused: str
) -> None:
    inserter, pipeline = writer
    messages, token = batch(tenant_id), f"token-{tenant_id}"
    with connect(pipeline.settings) as client:
        client.command(f"ALTER TABLE fields_0 ADD CONSTRAINT no CHECK source != '{refused}'")
        try:
            with pytest.raises(LogsieveError):
                load(inserter, messages, token)
        finally:
            client.command("ALTER TABLE fields_0 DROP CONSTRAINT no")
    assert counts(pipeline, tenant_id) != EXPECTED

    load(inserter, messages, token)
    load(inserter, messages, token)

    assert counts(pipeline, tenant_id) == EXPECTED
    assert pipeline.query(f"SELECT 1, count() FROM logs_0 WHERE tenant_id = {tenant_id}") == [(1, RECORDS)]


def test_counts_of_one_day_that_are_in_are_completed_by_the_other_day(writer: tuple[Inserter, Pipeline]) -> None:
    inserter, pipeline = writer
    messages = batch(8)
    counted = inserter.insert(0, 0, messages, "token-8", lambda: None)
    today = f"toDate({max(messages[0].message.days)})"
    with connect(pipeline.settings) as client:
        client.command("CREATE TABLE one_day AS fields_0")
        client.raw_insert("one_day", insert_block=counted, fmt="Native")
        client.command(
            f"INSERT INTO fields_0 SELECT * FROM one_day WHERE toDate(bucket) = {today}",
            settings=insert_settings(2**30, 40.0) | once("token-8/fields"),
        )
        client.command("DROP TABLE one_day SYNC")
    assert counts(pipeline, 8) != EXPECTED

    inserter.insert_counts(0, 0, counted, "token-8/fields", lambda: None)

    assert counts(pipeline, 8) == EXPECTED


def test_fields_are_not_counted_twice_while_views_count_them(stack: Stack, tmp_path: Path) -> None:
    with new_pipeline(stack, tmp_path, LANES="1") as pipeline, connect(pipeline.settings) as client:
        for statement in create_views(pipeline.settings.clickhouse_database):
            client.command(statement)
        inserter = Inserter(pipeline.settings)
        try:
            with pytest.raises(Unavailable, match="logsieve migrate"):
                inserter.insert(0, 0, batch(1), "token", lambda: None)
            assert [drift.where for drift in find_drift(pipeline.settings)] == [
                "fields_0_attributes",
                "fields_0_record",
            ]
            for view in ("attributes", "record"):
                client.command(f"DROP VIEW fields_0_{view}")
            load(inserter, batch(1), "token")
        finally:
            inserter.close()
        assert counts(pipeline, 1) == EXPECTED


def test_a_range_that_views_counted_is_recognised_when_it_is_repeated(stack: Stack, tmp_path: Path) -> None:
    """Tests that ClickHouse recognises a repeated insert although views counted its fields the first time."""
    with new_pipeline(stack, tmp_path, LANES="1") as pipeline, connect(pipeline.settings) as client:
        messages, views = batch(1), ("attributes", "record")
        for statement in create_views(pipeline.settings.clickhouse_database):
            client.command(statement)
        in_views = {"deduplicate_blocks_in_dependent_materialized_views": 1}
        client.raw_insert(
            insert_target(0, time.time()),
            insert_block=native_block(messages),
            settings=insert_settings(2**30, 40.0) | once("token") | in_views,
            fmt="Native",
        )
        for view in views:
            client.command(f"DROP VIEW fields_0_{view}")
        inserter = Inserter(pipeline.settings)
        inserter.insert(0, 0, messages, "token", lambda: None)
        inserter.close()
        assert pipeline.query("SELECT 1, count() FROM logs_0") == [(1, RECORDS)]
        assert counts(pipeline, 1) == EXPECTED


def test_counts_are_in_the_partitions_of_their_records(writer: tuple[Inserter, Pipeline]) -> None:
    inserter, pipeline = writer
    load(inserter, batch(4), "token-4")

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
    block = field_counts([LogMessage.read(request.SerializeToString(), envelope, Coordinates(1, 0, tenant_id))])

    with connect(pipeline.settings) as client:
        client.raw_insert("fields_0", insert_block=block, settings={"max_memory_usage": MAX_MEMORY}, fmt="Native")

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
    load(inserter, [LogMessage.read(request.SerializeToString(), envelope, Coordinates(1, 0, 7))], "token-7")

    with connect(pipeline.settings) as client:
        rows = client.query(
            "SELECT value, sum(records) FROM fields_0 WHERE tenant_id = 7 AND field = 'mixed' GROUP BY value ORDER BY 1"
        ).result_rows
    assert list(rows) == [("", MANY_RECORDS), ("often", MANY_RECORDS // 50)]
