"""Tests, with real log tables and searches, that the index on searched words is built only where words are searched."""

import secrets
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from clickhouse_connect.driver.client import Client

from ingest.loader.insert import Inserter
from ingest.word_index import demand, searched_server, searches
from ingest.word_index.builds import read_builds, start_build
from ingest.word_index.lacking import rows_without_index
from ingest.word_index.searched_server import SearchedServer
from ingest.word_index.searches import TablePartition
from kit.clickhouse import connect
from schema.clickhouse.index_profiles import SEARCHED_WORDS, Profile
from schema.clickhouse.searched_words import WORD_SEARCH, use_searched_words
from schema.coordinates import Coordinates
from schema.drift import clickhouse_drift
from schema.envelope import Envelope
from schema.migrate import migrate
from schema.otlp import LogMessage
from tests import otlp
from tests.api_client import Api
from tests.eventually import eventually
from tests.ingest.pipeline import DAY_NS, Pipeline, new_pipeline
from tests.ingest.requests import request_of
from tests.running_stack import Stack
from tests.tenants import new_tenant

ROWS = 50
TENANT = 1
WORD = "searchedword"
FOUND = f"SELECT count() FROM logs_0 WHERE tenant_id = {TENANT} AND hasToken(lower(body), '{WORD}')"


@pytest.fixture
def pipeline(stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pipeline]:
    """A pipeline in which one search of a partition is enough for a build."""
    monkeypatch.setattr(searches, "MIN_CPU_SECONDS", 0.0)
    monkeypatch.setattr(searched_server, "LOG_DELAY_SECONDS", 1)
    monkeypatch.setattr(demand, "MIN_BUILD_SECONDS", 1e-6)
    monkeypatch.setattr(demand, "BUILD_SECONDS_PER_BYTE", 0.0)
    monkeypatch.setattr(demand, "BUILD_SECONDS_PER_PART", 0.0)
    owner = stack.settings.clickhouse_user
    with new_pipeline(stack, tmp_path, CLICKHOUSE_QUERY_USER=owner, LANES="1") as pipeline:
        yield pipeline


@pytest.fixture
def client(pipeline: Pipeline) -> Iterator[Client]:
    """A client of the server. Parts of logs_0 are merged only by OPTIMIZE, because a merge drops the index."""
    with connect(pipeline.settings) as client:
        client.command("ALTER TABLE logs_0 MODIFY SETTING max_bytes_to_merge_at_max_space_in_pool = 1")
        yield client


def insert(pipeline: Pipeline, number: int, days_ago: int = 0) -> None:
    """Inserts one part of ROWS records, half of which have WORD, as a loader does."""
    now = time.time_ns()
    request = request_of(*[now - days_ago * DAY_NS] * ROWS)
    for record in request.resource_logs[0].scope_logs[0].log_records[::2]:
        record.body.string_value += f" {WORD}"
    envelope = Envelope(TENANT, 0, "r30", 4096, now)
    message = LogMessage.read(request.SerializeToString(), envelope, Coordinates(1, 0, number))
    inserter = Inserter(pipeline.settings)
    inserter.insert(0, 0, [message], f"token {number}", lambda: None)
    inserter.close()


def partitions(client: Client) -> list[TablePartition]:
    """Returns the partitions of the table, oldest first."""
    rows = client.query(
        "SELECT partition_id FROM system.parts WHERE active AND database = currentDatabase() AND table = 'logs_0'"
        " GROUP BY partition_id ORDER BY min(min_time)"
    ).result_rows
    return [TablePartition("logs_0", str(name)) for (name,) in rows]


def lacking(client: Client) -> list[int]:
    """Returns the rows without the index of each partition, oldest first."""
    return [rows_without_index(client, each) for each in partitions(client)]


def search(client: Client, condition: str = "1") -> int:
    """Runs a search as the API names it, and waits until it is in query_log. Returns the number of records found."""
    name = f"{WORD_SEARCH}{secrets.token_hex(8)}"
    found = int(str(client.command(f"{FOUND} AND {condition}", settings={"query_id": name})))
    eventually(lambda: logged(client, f"query_id = '{name}'") == 1, "the search is in query_log")
    return found


def logged(client: Client, condition: str) -> int:
    """Returns the number of finished statements in query_log. ClickHouse logs a statement shortly after its answer."""
    client.command("SYSTEM FLUSH LOGS query_log")
    return int(str(client.command(f"SELECT count() FROM system.query_log WHERE type = 'QueryFinish' AND {condition}")))


def examine_until_built(server: SearchedServer, client: Client, rows: list[int]) -> None:
    """Repeats runs, because the first may come within LOG_DELAY_SECONDS of the search."""

    def is_built() -> bool:
        server.run_once(client)
        return lacking(client) == rows and all(each.is_done for each in read_builds(client))

    eventually(is_built, f"the partitions lack {rows} rows of the index")


def test_inserts_and_merges_leave_the_index_out(pipeline: Pipeline, client: Client) -> None:
    for number in range(2):
        insert(pipeline, number)
    assert lacking(client) == [2 * ROWS]
    client.command("OPTIMIZE TABLE logs_0 FINAL")
    assert lacking(client) == [2 * ROWS]


def test_the_index_is_built_for_the_searched_partition_alone(pipeline: Pipeline, client: Client) -> None:
    insert(pipeline, 0, days_ago=1)
    insert(pipeline, 1)
    server = SearchedServer(pipeline.settings)
    server.run_once(client)
    assert lacking(client) == [ROWS, ROWS], "nothing was searched"

    assert search(client, f"timestamp < fromUnixTimestamp64Nano({time.time_ns() - DAY_NS // 2})") == ROWS // 2
    examine_until_built(server, client, [0, ROWS])
    assert search(client) == ROWS


def test_later_records_and_merges_lack_the_index_until_they_are_searched(pipeline: Pipeline, client: Client) -> None:
    insert(pipeline, 0)
    server = SearchedServer(pipeline.settings)
    search(client)
    examine_until_built(server, client, [0])

    insert(pipeline, 1)
    assert lacking(client) == [ROWS]
    assert search(client) == ROWS, "one part has the index, and one has not"
    examine_until_built(server, client, [0])

    client.command("OPTIMIZE TABLE logs_0 FINAL")
    assert lacking(client) == [2 * ROWS]
    assert search(client) == ROWS
    examine_until_built(server, client, [0])


def test_searches_before_the_last_build_do_not_pay_for_another(pipeline: Pipeline, client: Client) -> None:
    insert(pipeline, 0)
    search(client)
    (partition,) = partitions(client)
    # A loader that was killed after it had started the build.
    time_of_search = searches.server_seconds(client)
    eventually(lambda: searches.server_seconds(client) > time_of_search, "the second of the search has passed")
    start_build(client, partition)
    eventually(lambda: lacking(client) == [0], "the index is built")
    insert(pipeline, 1)
    restarted = SearchedServer(pipeline.settings)
    started = searches.server_seconds(client)
    eventually(lambda: searches.server_seconds(client) > started + 1, "the query_log is complete")
    restarted.run_once(client)
    restarted.run_once(client)
    assert len(read_builds(client)) == 1
    assert lacking(client) == [ROWS]


def test_a_dropped_partition_is_forgotten(pipeline: Pipeline, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demand, "MIN_BUILD_SECONDS", 1e9)
    insert(pipeline, 0)
    server = SearchedServer(pipeline.settings)
    search(client)

    def is_paid() -> bool:
        server.run_once(client)
        return bool(server._demand.partitions)

    eventually(is_paid, "the search is counted")
    client.command(f"ALTER TABLE logs_0 DROP PARTITION ID '{partitions(client)[0].id}'")
    server.run_once(client)
    assert server._demand.partitions == frozenset()


def test_no_index_is_built_on_a_disk_that_is_too_full(
    pipeline: Pipeline, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    insert(pipeline, 0)
    server = SearchedServer(pipeline.settings)
    search(client)
    with monkeypatch.context() as full:
        full.setattr(searched_server, "INDEX_SHARE", 1e12)

        def is_refused() -> bool:
            server.run_once(client)
            return bool(server._without_room)

        eventually(is_refused, "a build is due")
        assert read_builds(client) == []
    server.run_once(client)
    assert len(read_builds(client)) == 1, "the searches still count when there is room"


def test_a_build_that_fails_again_and_again_is_ended(
    pipeline: Pipeline, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An erasure that divides by zero stands before the build in ClickHouse's order, so that the build fails too."""
    monkeypatch.setattr("ingest.failing_mutations.SPACING_SECONDS", 0)
    insert(pipeline, 0)
    (partition,) = partitions(client)
    client.command("SYSTEM STOP MERGES logs_0")
    client.command("ALTER TABLE logs_0 DELETE WHERE throwIf(id > 0, 'no')", settings={"mutations_sync": 0})
    start_build(client, partition)
    client.command("SYSTEM START MERGES logs_0")
    eventually(lambda: bool(read_builds(client)[0].failure), "the build has failed")
    server = SearchedServer(pipeline.settings)
    server.run_once(client)
    assert [each.is_done for each in read_builds(client)] == [False]

    def is_ended() -> bool:
        server.run_once(client)
        return all(each.is_done for each in read_builds(client))

    eventually(is_ended, "the failing build is ended")
    left = client.query("SELECT command FROM system.mutations WHERE NOT is_done AND database = currentDatabase()")
    assert len(left.result_rows) == 1, "the mutation of somebody else is left"


def test_searches_for_words_over_the_api_are_recognised(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches for words of bodies, or parts of them, count. Those of other fields and for excluded words do not."""
    monkeypatch.setattr(searches, "MIN_CPU_SECONDS", 0.0)
    keys = new_tenant(stack, "searched")
    end_ns = time.time_ns() + 60 * 10**9
    with Api(stack.api_url, keys.query) as api, connect(stack.settings) as client:
        assert otlp.send(stack.otlp_http_url, keys.ingest, otlp.request(otlp.record("a word"))).status_code == 200
        api.wait_for_count(1, end_ns - DAY_NS, end_ns)

        def search_all(*queries: str) -> None:
            for query in queries:
                api.ok("/logs/search", query=query, start=end_ns - DAY_NS, end=end_ns)

        of_tenant = f"log_comment = '{keys.id}' AND user = '{stack.settings.clickhouse_query_user}'"
        named = f"{of_tenant} AND startsWith(initial_query_id, '{WORD_SEARCH}')"
        others = ("service:~word", "user.id:~word", "-word", "severity:error")
        before = logged(client, of_tenant)
        search_all(*others)
        eventually(lambda: logged(client, of_tenant) >= before + len(others), "the other searches are in query_log")
        assert logged(client, named) == 0
        search_all("word", '"some phrase"', "word service:a", "*art*")
        eventually(lambda: logged(client, named) >= 4, "the searches for words are in query_log")
        found = searches.read_searches(
            client,
            stack.settings.clickhouse_database,
            stack.settings.clickhouse_query_user,
            searches.server_seconds(client) - 120,
            searches.server_seconds(client),
        )
        assert f"logs_{keys.lane}" in {each.table for search in found for each in search.partitions}


def test_migrate_gives_the_index_to_tables_that_lack_it(pipeline: Pipeline, client: Client) -> None:
    client.command("ALTER TABLE logs_0 RESET SETTING max_bytes_to_merge_at_max_space_in_pool")
    use_searched_words(client, "logs_0", Profile.text)
    assert [each.where for each in clickhouse_drift(pipeline.settings)] == ["logs_0"]
    migrate(pipeline.settings, lambda _: None)
    assert clickhouse_drift(pipeline.settings) == []
    assert SEARCHED_WORDS.name in str(client.command("SHOW CREATE TABLE logs_0"))
