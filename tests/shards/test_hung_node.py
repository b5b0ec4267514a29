"""Tests that a hanging node stops only searches of tenants with rows on it, and that extents count every shard."""

from collections.abc import Iterator

import pytest

from tests import otlp
from tests.api.own_api import own_api
from tests.api_client import Api
from tests.eventually import eventually
from tests.running_stack import Stack
from tests.stored_records import stored_on
from tests.tenants import TenantKeys, new_tenant

RECORDS = 5
NODES = ("clickhouse", "clickhouse-1")


@pytest.fixture(scope="module")
def of_one_shard(two: Stack, start_ns: int) -> dict[int, TenantKeys]:
    """Returns for each shard a tenant that has rows there only, all from one request."""
    found: dict[int, TenantKeys] = {}
    while len(found) < len(NODES):
        keys = new_tenant(two, "lone")
        records = [otlp.record(f"number {each}", start_ns + each * 10**9) for each in range(RECORDS)]
        assert otlp.send(two.otlp_http_url, keys.ingest, otlp.request(*records)).status_code == 200
        with Api(two.api_url, keys.query) as api:
            api.wait_for_count(RECORDS, start_ns, start_ns + 300 * 10**9)
        found[next(shard for shard in range(len(NODES)) if stored_on(two, keys, shard))] = keys
    return found


@pytest.mark.parametrize("shard", range(len(NODES)))
def test_extents_count_the_rows_of_every_shard(
    two: Stack, of_one_shard: dict[int, TenantKeys], start_ns: int, shard: int
) -> None:
    keys = of_one_shard[shard]
    with Api(two.api_url, keys.query) as api:
        window: dict[str, str | int] = {"start": start_ns, "end": start_ns + 300 * 10**9}

        def is_counted() -> bool:
            # An extent is cached for half a minute, and may be from before the rows.
            stats = api.ok("/logs/search", query="number", limit=1000, **window)["stats"]
            return bool(stats["granules_total"] > 0)

        eventually(is_counted, "the extent has the rows of the shard", 90)


@pytest.mark.parametrize("shard", range(len(NODES)))
def test_only_the_tables_of_the_tenants_shard_are_read(
    two: Stack, of_one_shard: dict[int, TenantKeys], shard: int
) -> None:
    with Api(two.api_url, of_one_shard[shard].query) as api:
        eventually(lambda: api.ok("/logs/explain", query="number")["shards"] == [shard], "one shard is read")


@pytest.fixture(scope="module")
def small_url(two: Stack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yields the URL of a REST API with few places. Statements that hang would fill it if they took places of
    others."""
    log = tmp_path_factory.mktemp("small") / "api.log"
    with own_api(two, log, QUERY_MAX_CONCURRENT="4", QUERY_MAX_CONCURRENT_PER_TENANT="2") as url:
        yield url


@pytest.mark.parametrize("shard", range(len(NODES)))
def test_a_node_that_hangs_stops_no_tenant_without_rows_on_it(
    two: Stack, small_url: str, of_one_shard: dict[int, TenantKeys], start_ns: int, shard: int
) -> None:
    end_ns = start_ns + 300 * 10**9
    with Api(small_url, of_one_shard[1 - shard].query) as other, Api(small_url, of_one_shard[shard].query) as own:
        for api in (own, other):
            eventually(lambda api=api: len(api.ok("/logs/explain", query="a")["shards"]) == 1, "one is read")  # type: ignore[misc]  # mypy does not infer bound defaults
        with two.hanging(NODES[shard]):
            for _ in range(10):
                logs = other.ok("/logs/search", query="number", start=start_ns, end=end_ns, limit=1000)["logs"]
                assert len(logs) == RECORDS
                assert other.count("number", start_ns, end_ns) == RECORDS
                assert other.ok("/logs/fields", start=start_ns, end=end_ns)["fields"]
                assert other.record(logs[0]["id"]) == logs[0]
            failed = own.get("/logs/search", query="number", start=start_ns, end=end_ns)
            assert failed.status_code == 503
            assert f"shard {shard}" in failed.json()["detail"] or "did not answer" in failed.json()["detail"]
            eventually(
                lambda: f"for shard {shard}" in own.get("/logs/search", query="number").json()["detail"],
                "the node counts as unreachable",
            )
            assert other.get("/tenant").status_code == 200
        eventually(lambda: own.get("/logs/search", query="number").status_code == 200, "the node answers again")
        own.wait_for_count(RECORDS, start_ns, end_ns)
