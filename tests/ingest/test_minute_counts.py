"""Tests, with real log tables, which of them get minute counts, and that the counts stay right."""

from collections.abc import Iterator

import pytest
from clickhouse_connect.driver.client import Client

from ingest.minute_counts.server import CountedServer
from ingest.minute_counts.worth import MIN_PARTS
from kit.clickhouse import connect
from schema.clickhouse.add_lane import create_local_tables
from schema.clickhouse.minute_counts import BUILDING, NAME, add_minute_counts, build_minute_counts, counted_tables
from schema.drift import clickhouse_drift
from tests.eventually import eventually
from tests.ingest.pipeline import Pipeline

pytestmark = pytest.mark.lanes(2)

ROWS_PER_PART = 40
PARTS = 12
COUNTED = "SELECT service, count() FROM logs_0 WHERE tenant_id = {tenant:UInt32} GROUP BY service ORDER BY service"


@pytest.fixture
def client(pipeline: Pipeline) -> Iterator[Client]:
    """A client of the server, where parts of logs_0 and logs_1 are merged only by OPTIMIZE."""
    with connect(pipeline.settings) as client:
        for table in ("logs_0", "logs_1"):
            client.command(f"ALTER TABLE {table} MODIFY SETTING max_bytes_to_merge_at_max_space_in_pool = 1")
        yield client


def fill(client: Client, table: str, rows: int, parts: int = PARTS, day: str = "2026-11-20") -> None:
    """Inserts parts with this number of rows each, of two tenants and three services."""
    for _ in range(parts):
        client.command(
            f"INSERT INTO {table} (tenant_id, cohort, timestamp, id, service) SELECT 1 + number % 2, 'r30',"
            f" toDateTime64('{day} 10:00:00', 9, 'UTC') + number * 7, rand64(), toString(number % 3)"
            f" FROM numbers({rows})",
            settings={"insert_deduplicate": 0},
        )


def lacking(client: Client, table: str = "logs_0") -> list[int]:
    """Returns the rows of each part without minute counts."""
    rows = client.query(
        "SELECT rows FROM system.parts WHERE active AND database = currentDatabase() AND table = {table:String}"
        " AND NOT has(projections, {name:String})",
        parameters={"table": table, "name": NAME},
    ).result_rows
    return [int(each) for (each,) in rows]


def builds(client: Client) -> list[bool]:
    """Returns whether each build of minute counts has ended."""
    rows = client.query(
        "SELECT is_done OR is_killed FROM system.mutations WHERE database = currentDatabase()"
        " AND position(command, {building:String}) > 0",
        parameters={"building": BUILDING},
    ).result_rows
    return [bool(ended) for (ended,) in rows]


def test_tables_with_large_parts_get_counts_and_others_do_not(pipeline: Pipeline, client: Client) -> None:
    fill(client, "logs_0", ROWS_PER_PART)
    fill(client, "logs_1", ROWS_PER_PART - 1)
    server = CountedServer(ROWS_PER_PART)
    server.run_once(client)
    eventually(lambda: not lacking(client), "the counts of all parts are built")
    for other in (server, CountedServer(ROWS_PER_PART)):
        other.run_once(client)
    assert counted_tables(client) == {"logs_0"}
    assert builds(client) == [True], "it was built once"
    drift = clickhouse_drift(pipeline.settings)
    assert [each for each in drift if "max_bytes_to_merge" not in each.difference] == []
    assert all("PROJECTION" not in each.difference for each in drift)


def test_inserts_and_merges_count(client: Client) -> None:
    """ClickHouse merges only parts that have the same projections. Parts without the counts would stay for ever."""
    fill(client, "logs_0", ROWS_PER_PART)
    CountedServer(ROWS_PER_PART).run_once(client)
    eventually(lambda: not lacking(client), "the counts of all parts are built")
    fill(client, "logs_0", ROWS_PER_PART, parts=2)
    assert lacking(client) == []
    client.command("OPTIMIZE TABLE logs_0 FINAL")
    parts = "SELECT count() FROM system.parts WHERE active AND database = currentDatabase() AND table = 'logs_0'"
    assert (lacking(client), client.command(parts)) == ([], 1)
    records, counts = (
        client.query(
            COUNTED, parameters={"tenant": 1}, settings={"optimize_use_projections": use, **forced}
        ).result_rows
        for use, forced in ((0, {}), (1, {"force_optimize_projection": 1}))
    )
    assert records == counts


def test_few_rows_without_counts_are_not_built(client: Client) -> None:
    fill(client, "logs_0", ROWS_PER_PART, parts=2)
    client.command(add_minute_counts("logs_0"))
    fill(client, "logs_0", ROWS_PER_PART, day="2026-11-21")
    CountedServer(ROWS_PER_PART).run_once(client)
    assert builds(client) == []


def test_a_new_lane_has_no_counts(pipeline: Pipeline, client: Client) -> None:
    client.command(add_minute_counts("logs_0"))
    for _ in range(2):
        create_local_tables(client, pipeline.settings.clickhouse_database, 9)
        assert counted_tables(client) == {"logs_0"}
    client.command(add_minute_counts("logs_9"))
    create_local_tables(client, pipeline.settings.clickhouse_database, 9)
    assert counted_tables(client) == {"logs_0", "logs_9"}, "a lane that is there keeps what it has"


def test_a_build_that_was_not_started_is_started_by_the_next_loader(client: Client) -> None:
    fill(client, "logs_0", ROWS_PER_PART)
    client.command(add_minute_counts("logs_0"))
    assert builds(client) == []
    CountedServer(ROWS_PER_PART).run_once(client)
    eventually(lambda: not lacking(client), "the counts of all parts are built")


def test_a_build_that_fails_is_ended_and_not_repeated(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.failing_mutations.SPACING_SECONDS", 0)
    fill(client, "logs_0", ROWS_PER_PART, parts=MIN_PARTS - 1)
    client.command(add_minute_counts("logs_0"))
    client.command("SYSTEM STOP MERGES logs_0")
    # Both mutations are made together, so the failure of the first one is one of the build.
    client.command("ALTER TABLE logs_0 DELETE WHERE throwIf(id > 0, 'no')", settings={"mutations_sync": 0})
    client.command(build_minute_counts("logs_0"), settings={"mutations_sync": 0})
    client.command("SYSTEM START MERGES logs_0")
    failed = "SELECT countIf(latest_fail_reason != '') FROM system.mutations WHERE database = currentDatabase()"
    eventually(lambda: client.command(failed) == 2, "the build has failed")
    # The table has too few rows for counts; a failing build is ended all the same.
    server = CountedServer(ROWS_PER_PART)
    server.run_once(client)
    assert builds(client) == [False]

    def is_ended() -> bool:
        server.run_once(client)
        return builds(client) == []

    eventually(is_ended, "ClickHouse forgets a mutation that was ended")
    left = client.query("SELECT command FROM system.mutations WHERE NOT is_done AND database = currentDatabase()")
    assert len(left.result_rows) == 1, "the mutation of somebody else is left"

    # With these rows, the table is worth counts, and most of its rows still lack them.
    fill(client, "logs_0", ROWS_PER_PART, parts=2)
    server.run_once(client)
    assert builds(client) == [], "the loader repeats no build that it ended"
    CountedServer(ROWS_PER_PART).run_once(client)
    assert builds(client) == [False], "a loader that starts tries once more"


def test_an_erased_tenant_is_not_counted_any_more(client: Client) -> None:
    fill(client, "logs_0", ROWS_PER_PART)
    CountedServer(ROWS_PER_PART).run_once(client)
    eventually(lambda: not lacking(client), "the counts of all parts are built")
    read = {"optimize_use_projections": 1, "force_optimize_projection": 1}
    before = client.query(COUNTED, parameters={"tenant": 2}, settings=read).result_rows
    assert sum(count for _, count in before) == PARTS * ROWS_PER_PART // 2
    client.command("ALTER TABLE logs_0 DELETE WHERE tenant_id IN (1)", settings={"mutations_sync": 2})
    assert lacking(client) == []
    assert client.query(COUNTED, parameters={"tenant": 1}).result_rows == []
    assert client.query(COUNTED, parameters={"tenant": 2}, settings=read).result_rows == before
