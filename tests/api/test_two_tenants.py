"""Tests that no endpoint returns or changes data of another tenant, even if the request names that data.

Both tenants are in the same lane and cohort. Requests contain all ids, cursors and names that fit an endpoint.
"""

import time
from dataclasses import dataclass
from typing import Any, Final

import httpx2
import pytest

from kit.tls import trusted
from tests import otlp
from tests.api.tail_client import tail
from tests.api.valid_bodies import ADMIN_BODIES, ADMIN_PARAMETERS, RULE_BODIES, kind_of, new_items, save_items
from tests.api_client import Api
from tests.eventually import eventually
from tests.running_stack import Stack
from tests.tenants import TenantKeys, new_tenant

SECRET: Final = "pomegranate"
TRACE: Final = "4bf92f3577b34da6a3ce929d0e0e4736"
STATS: Final = "| stats count(), uniq(trace_id) by service, trace_id, time(1m)"
RECORDS: Final = 3


@dataclass(frozen=True, slots=True)
class Theirs:
    """Data of the other tenant, which requests contain, and the keys of the requesting tenant."""

    keys: TenantKeys
    our_key: str
    our_admin_key: str
    start_ns: int
    end_ns: int
    ids: dict[str, str]
    """Ids of a record, a view, a dashboard and an alert rule, by the start of their paths."""
    cursor: str


@pytest.fixture(scope="module")
def theirs(stack: Stack) -> Theirs:
    other = new_tenant(stack, "theirs")
    ours = new_tenant(stack, "ours", other.lane)
    now = time.time_ns()
    start_ns, end_ns = now - 60 * 10**9, now + 60 * 10**9
    for keys, body, number in ((other, SECRET, RECORDS), (ours, "apple", 1)):
        records = [otlp.record(f"fruit {body}", now, traceId=TRACE) for _ in range(number)]
        assert otlp.send(stack.otlp_http_url, keys.ingest, otlp.request(*records)).status_code == 200
        with Api(stack.api_url, keys.query) as api:
            api.wait_for_count(number, start_ns, end_ns)
    with Api(stack.api_url, other.query) as api:
        page = api.ok("/logs/search", query="fruit", start=start_ns, end=end_ns, limit=1)
        ids = {"/logs": page["logs"][0]["id"], **save_items(api, f"fruit {SECRET}")}
    return Theirs(other, ours.query, ours.admin, start_ns, end_ns, ids, page["next_cursor"])


def paths(stack: Stack) -> dict[str, Any]:
    """Returns all operations of the running API."""
    found: dict[str, Any] = httpx2.get(f"{stack.api_url}/openapi.json", timeout=30, verify=trusted()).json()["paths"]
    return found


def test_nothing_of_another_tenant_comes_back_from_any_endpoint(stack: Stack, theirs: Theirs) -> None:
    """Fills in parameters by their names, so that new endpoints are tested too. Other tests cover tails and /admin."""
    values: dict[str, list[Any]] = {
        "query": ["", f"trace_id:{TRACE}", SECRET, "NOT nothing", f"apple OR {SECRET}", "a) OR (1=1", STATS],
        "cursor": [None, theirs.cursor],
        "prefix": ["", SECRET[:3]],
        "name": ["service", "trace_id", "body", "shop"],
    }
    requested = 0
    with Api(stack.api_url, theirs.our_key) as api:
        for path, operations in paths(stack).items():
            if "get" not in operations or path.endswith("/tail") or "/admin/" in path:
                continue
            place = path.removeprefix("/api/v1")
            # The operations by POST take the same parameters as members of a body.
            by_body = "post" in operations and place.startswith("/logs")
            names = {each["name"] for each in operations["get"].get("parameters", [])}
            for query in values["query"] if "query" in names else [None]:
                for cursor in values["cursor"] if "cursor" in names else [None]:
                    for name in values["name"] if "{name}" in path else [None]:
                        parameters = {"query": query, "cursor": cursor, "start": theirs.start_ns, "end": theirs.end_ns}
                        given = {key: value for key, value in parameters.items() if key in names and value is not None}
                        filled = place.format(id=theirs.ids.get(kind_of(place)), name=name)
                        for answer in (api.get(filled, **given), *([api.post(filled, given)] if by_body else [])):
                            requested += 1
                            assert answer.status_code in (200, 400, 404), (filled, given, answer.text)
                            assert not shows(answer, query), (filled, given, answer.text)
                            if cursor is not None or "{id}" in path:
                                assert answer.status_code in (400, 404), (filled, given, answer.text)
    assert requested >= 25


def test_saved_items_of_another_tenant_are_neither_shown_nor_changed(stack: Stack, theirs: Theirs) -> None:
    """Tests all operations on a view, a dashboard and an alert rule, including new ones, with valid bodies."""
    lists, requested = ("/views", "/dashboards", "/alerts"), 0
    with Api(stack.api_url, theirs.keys.query) as api:
        items = {kind: api.ok(f"{kind}/{theirs.ids[kind]}") for kind in lists}
    with httpx2.Client(headers={"Authorization": f"Bearer {theirs.our_key}"}, timeout=30, verify=trusted()) as client:
        for path, operations in paths(stack).items():
            place = path.removeprefix("/api/v1")
            kind = kind_of(place)
            for method in operations if "{id}" in place and kind in lists else ():
                changed = new_items("ours", theirs.ids["/views"])[kind] | {"revision": 1}
                body = changed if method == "put" else RULE_BODIES.get(f"{method.upper()} {place}")
                url = f"{stack.api_url}{place.format(id=theirs.ids[kind])}"
                answer = client.request(method.upper(), url, json=body)
                requested += 1
                assert answer.status_code == 404, (method, place, answer.text)
        for kind in lists:
            assert client.get(f"{stack.api_url}{kind}").json() == {kind[1:]: []}
        shown = client.post(f"{stack.api_url}/dashboards", json=new_items("ours", theirs.ids["/views"])["/dashboards"])
        assert shown.status_code == 400, shown.text
    assert requested >= 12
    with Api(stack.api_url, theirs.keys.query) as api:
        assert {kind: api.ok(f"{kind}/{theirs.ids[kind]}") for kind in lists} == items


def shows(answer: httpx2.Response, query: str | None) -> bool:
    """Returns true if the answer has a record of the other tenant, or more records than the requesting tenant has."""
    text = answer.text
    if query is not None:
        text = text.replace(query, "")
    return f"fruit {SECRET}" in text or answer.text.count('"body":') > 1


def test_counts_are_of_the_own_tenant_only(stack: Stack, theirs: Theirs) -> None:
    with Api(stack.api_url, theirs.our_key) as api:
        assert api.count("", theirs.start_ns, theirs.end_ns) == 1
        assert api.count(SECRET, theirs.start_ns, theirs.end_ns) == 0
        for by in ("service", "event_name"):
            counted = api.ok("/logs/histogram", start=theirs.start_ns, end=theirs.end_ns, by=by)
            assert sum(each["total"] for each in counted["series"]) == 1
        numbers = api.ok("/logs/stats", query="| stats count()", start=theirs.start_ns, end=theirs.end_ns)
        assert numbers["rows"] == [[1]]
        eventually(lambda: usage(api) == 1, "the own record is counted, and no other")


def usage(api: Api) -> int:
    """Returns the number of records that the tenant's usage counts."""
    return sum(each["records"] for each in api.ok("/usage", interval="minute")["totals"])


@pytest.mark.parametrize("query", ["", SECRET, f"trace_id:{TRACE}"])
def test_a_tail_does_not_go_on_where_another_tenants_was(stack: Stack, theirs: Theirs, query: str) -> None:
    with tail(stack, theirs.keys.query, query) as client:
        record = otlp.record(f"fruit {SECRET}", traceId=TRACE)
        assert otlp.send(stack.otlp_http_url, theirs.keys.ingest, otlp.request(record)).status_code == 200
        (event,) = client.logs(1)
    assert event.id is not None

    refused = httpx2.get(
        f"{stack.api_url}/logs/tail",
        params={"query": query},
        headers={"Authorization": f"Bearer {theirs.our_key}", "Last-Event-ID": event.id},
        timeout=30,
        verify=trusted(),
    )

    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_cursor")


FOR_OPERATORS: Final = ("GET /admin/erasures",)


def test_an_admin_key_reaches_nothing_of_another_tenant(stack: Stack, theirs: Theirs) -> None:
    """Tests all operations under /admin, including new ones."""
    url, name, requested = f"{stack.api_url}/admin/tenants/{theirs.keys.tenant}", theirs.keys.tenant, 0
    key_id = theirs.keys.query.split("_")[2]
    own = {"Authorization": f"Bearer {theirs.keys.admin}"}
    before = _tenant_and_keys(url, own)
    for path, operations in paths(stack).items():
        for method in operations if "/admin/" in path else ():
            place = path.removeprefix("/api/v1")
            operation = f"{method.upper()} {place}"
            answer = httpx2.request(
                method.upper(),
                f"{stack.api_url}{place.format(name=name, key_id=key_id, redaction='ours')}",
                params=ADMIN_PARAMETERS.get(operation),
                json=ADMIN_BODIES.get(operation),
                headers={"Authorization": f"Bearer {theirs.our_admin_key}"},
                timeout=30,
                verify=trusted(),
            )
            requested += 1
            assert name not in answer.text.replace(f"there is no tenant '{name}'", ""), (method, place, answer.text)
            if "{name}" in path:
                assert answer.status_code == 404, (method, place, answer.text)
            else:
                allowed = method == "get" and operation not in FOR_OPERATORS
                assert answer.status_code == (200 if allowed else 403), (method, place, answer.text)
    assert requested >= 8
    assert _tenant_and_keys(url, own) == before


def _tenant_and_keys(url: str, headers: dict[str, str]) -> tuple[Any, list[dict[str, Any]]]:
    """Returns the tenant and its keys, without the times of last use, which change every 30 s."""
    tenant, keys = (
        httpx2.get(each, headers=headers, timeout=30, verify=trusted()).json() for each in (url, f"{url}/keys")
    )
    return tenant, [{name: value for name, value in key.items() if name != "last_used_at"} for key in keys["keys"]]
