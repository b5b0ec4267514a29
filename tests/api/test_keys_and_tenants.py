"""Tests that a tenant reads only its own data, and that a key serves only its purpose."""

import time
from dataclasses import dataclass

import pytest

from tests import otlp
from tests.api_client import Api
from tests.eventually import eventually
from tests.running_stack import Stack
from tests.tenants import TenantKeys, new_tenant


@dataclass(frozen=True, slots=True)
class Two:
    """Two tenants with one record each. Both records have the same timestamp and trace, and share a word."""

    ours: TenantKeys
    theirs: TenantKeys
    start_ns: int
    end_ns: int


@pytest.fixture(scope="module")
def two(stack: Stack) -> Two:
    two = Two(
        new_tenant(stack, "ours"), new_tenant(stack, "theirs"), time.time_ns() - 10**9, time.time_ns() + 60 * 10**9
    )
    now = time.time_ns()
    for keys, secret in ((two.ours, "apple"), (two.theirs, "banana")):
        trace = {"traceId": "4bf92f3577b34da6a3ce929d0e0e4736"}
        sent = otlp.send(stack.otlp_http_url, keys.ingest, otlp.request(otlp.record(f"fruit {secret}", now, **trace)))
        assert sent.status_code == 200, sent.text
        with Api(stack.api_url, keys.query) as api:
            api.wait_for_count(1, two.start_ns, two.end_ns)
    return two


@pytest.mark.parametrize("query", ["", "fruit", "trace_id:4bf92f3577b34da6a3ce929d0e0e4736", "NOT nothing"])
def test_a_search_sees_its_own_tenant_only(stack: Stack, two: Two, query: str) -> None:
    for keys, secret in ((two.ours, "apple"), (two.theirs, "banana")):
        with Api(stack.api_url, keys.query) as api:
            assert [log["body"] for log in api.pages(query, two.start_ns, two.end_ns)] == [f"fruit {secret}"]


def test_another_tenants_record_is_not_found(stack: Stack, two: Two) -> None:
    with Api(stack.api_url, two.theirs.query) as theirs, Api(stack.api_url, two.ours.query) as ours:
        (log,) = theirs.pages("", two.start_ns, two.end_ns)
        refused = ours.get(f"/logs/{log['id']}")

    assert refused.status_code == 404
    assert "banana" not in refused.text


def test_another_tenants_cursor_is_refused(stack: Stack, two: Two) -> None:
    for _ in range(2):
        sent = otlp.send(stack.otlp_http_url, two.theirs.ingest, otlp.request(otlp.record("paged", time.time_ns())))
        assert sent.status_code == 200
    with Api(stack.api_url, two.theirs.query) as theirs, Api(stack.api_url, two.ours.query) as ours:
        theirs.wait_for_count(2, two.start_ns, two.end_ns, query="paged")
        page = theirs.ok("/logs/search", query="paged", limit=1)
        assert page["next_cursor"] is not None
        assert theirs.get("/logs/search", query="paged", cursor=page["next_cursor"]).status_code == 200
        refused = ours.get("/logs/search", query="paged", cursor=page["next_cursor"])

    assert refused.status_code == 400
    assert refused.json()["code"] == "invalid_cursor"


PATHS = [
    "/logs/search",
    "/logs/histogram",
    "/logs/explain",
    "/logs/export",
    "/logs/" + "0" * 48,
    f"/logs/{'0' * 48}/context",
    "/tenant",
]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("key", "status", "code"), [(None, 401, "unauthenticated"), ("ls_query_x_y", 401, "unauthenticated")]
)
def test_a_missing_or_unknown_key_is_refused(stack: Stack, path: str, key: str | None, status: int, code: str) -> None:
    with Api(stack.api_url, key) as api:
        refused = api.get(path)

    assert refused.status_code == status
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["code"] == code


@pytest.mark.parametrize("path", PATHS)
def test_an_ingest_key_cannot_search(stack: Stack, two: Two, path: str) -> None:
    with Api(stack.api_url, two.ours.ingest) as api:
        refused = api.get(path)

    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")


def test_only_an_ingest_key_can_send(stack: Stack, two: Two) -> None:
    body = otlp.request(otlp.record("never kept"))

    assert otlp.send(stack.otlp_http_url, None, body).status_code == 401
    assert otlp.send(stack.otlp_http_url, "ls_ingest_x_y", body).status_code == 401
    assert otlp.send(stack.otlp_http_url, two.ours.query, body).status_code == 403


def test_a_revoked_key_stops_working_within_five_seconds(stack: Stack) -> None:
    keys = new_tenant(stack, "revoked")
    with Api(stack.api_url, keys.query) as api:
        assert api.get("/tenant").status_code == 200
        stack.logsieve("key", "revoke", keys.query.split("_")[2])
        eventually(lambda: api.get("/tenant").status_code == 401, "the key is refused", 5)
