"""Tests that successful answers keep the OpenAPI document. Each operation is requested once, with valid values.

The random requests of test_contract.py are mostly refused, or find nothing.
"""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from schemathesis.core import NOT_SET
from schemathesis.core.result import Ok
from schemathesis.schemas import BaseSchema

from tests import otlp
from tests.api.openapi_document import CHECKS, TAIL, document
from tests.api.valid_bodies import ADMIN_BODIES, ADMIN_PARAMETERS, RULE_BODIES, kind_of, new_items, save_items
from tests.api_client import Api, Json
from tests.eventually import eventually
from tests.running_stack import Stack
from tests.tenants import TenantKeys, new_tenant, operator_key

TRACE: Final = "4bf92f3577b34da6a3ce929d0e0e4736"
RECORDS: Final = 3
SESSION: Final = "/api/v1/ui/session"

LISTS: Final = {
    "/logs/search": "logs",
    "/logs/fields": "fields",
    "/logs/fields/{name}/values": "values",
    "/logs/patterns": "patterns",
    "/logs/stats": "columns",
    "/logs/histogram": "series",
    "/logs/{id}/context": "before",
    "/alerts/{id}/history": "notices",
    "GET /usage": "totals",
    "GET /views": "views",
    "GET /dashboards": "dashboards",
    "GET /alerts": "alerts",
    "GET /admin/tenants": "tenants",
    "GET /admin/tenants/{name}/keys": "keys",
}
"""Operations, or the paths of operations by GET and POST, with the list of their answers that must not be empty."""


@dataclass(frozen=True, slots=True)
class Values:
    """Values of a request."""

    path: dict[str, str] = field(default_factory=dict)
    query: Json = field(default_factory=dict)
    body: Any = NOT_SET


def send_each(schema: BaseSchema, key: str, values_of: Callable[[str], Values]) -> int:
    """Requests each operation once, those by DELETE last, and checks that its answer is successful and documented.

    `values_of` returns the values for an operation such as `GET /views/{id}`. Returns the number of operations.
    """
    operations = []
    for found in schema.get_all_operations():
        assert isinstance(found, Ok)
        operations.append(found.ok())
    for operation in sorted(operations, key=lambda each: each.method.upper() == "DELETE"):
        place = operation.path.removeprefix("/api/v1")
        name = f"{operation.method.upper()} {place}"
        values = values_of(name)
        case = operation.Case(path_parameters=values.path, query=values.query, body=values.body)
        answer = case.call_and_validate(headers={"Authorization": f"Bearer {key}"}, checks=CHECKS, timeout=60)
        assert 200 <= answer.status_code < 300, (name, answer.text)
        if shown := LISTS.get(name, LISTS.get(place)):
            assert answer.json()[shown], (name, answer.text)
    return len(operations)


def stored(stack: Stack, start_ns: int) -> TenantKeys:
    """Returns the keys of a tenant with RECORDS records, which are counted by their fields and for its usage."""
    keys = new_tenant(stack, "documented")
    given = {"severityNumber": 17, "traceId": TRACE, "attributes": [otlp.attribute("route", "/pay")]}
    records = [otlp.record("payment refused", start_ns + second * 10**9, **given) for second in range(RECORDS)]
    assert otlp.send(stack.otlp_http_url, keys.ingest, otlp.request(*records)).status_code == 200
    with Api(stack.api_url, keys.query) as api:
        api.wait_for_count(RECORDS, start_ns, start_ns + 60 * 10**9)
        eventually(
            lambda: api.ok("/logs/fields", start=start_ns)["fields"] != [] != api.ok("/usage")["totals"],
            "the records are counted",
        )
    return keys


def test_every_success_of_a_query_key_is_documented(stack: Stack) -> None:
    """Leaves out tails, which have no end, and the session of a sign-in link."""
    start_ns = time.time_ns() - 600 * 10**9
    keys = stored(stack, start_ns)
    time_range = {"start": start_ns, "end": start_ns + 60 * 10**9}
    with Api(stack.api_url, keys.query) as api:
        found = api.ok("/logs/search", **time_range)["logs"]
        ids = {"/logs": found[1]["id"], **save_items(api, "saved")}

    def values_of(name: str) -> Values:
        method, place = name.split()
        kind = kind_of(place)
        if "{id}" in place or kind in new_items("", ""):
            bodies = {
                f"POST {kind}": new_items("new", ids["/views"]).get(kind),
                f"PUT {kind}/{{id}}": new_items("changed", ids["/views"]).get(kind, {}) | {"revision": 1},
            } | RULE_BODIES
            return Values({"id": ids[kind]} if "{id}" in place else {}, body=bodies.get(name, NOT_SET))
        if kind != "/logs":
            return Values()
        more = {
            "/logs/stats": {"query": f"| stats count() by service{', time(1m)' if method == 'POST' else ''}"},
            "/logs/histogram": {"by": "service"},
        }.get(place, {})
        searched, path = {"query": "payment", **time_range, **more}, {"name": "route"} if "{name}" in place else {}
        return Values(path, searched) if method == "GET" else Values(path, body=searched)

    assert send_each(document(stack).exclude(path_regex=f"/admin/|{TAIL}|{SESSION}"), keys.query, values_of) >= 35


def test_every_success_of_an_operators_key_is_documented(stack: Stack) -> None:
    """Leaves out the deletion of the tenant, whose answer has no body, because the erasure would delay other tests."""
    keys = new_tenant(stack, "documented-admin")
    paths = {"name": keys.tenant, "key_id": keys.query.split("_")[2], "redaction": "order"}
    bodies = ADMIN_BODIES | {"POST /admin/tenants": {"name": f"documented-{secrets.token_hex(4)}"}}

    def values_of(name: str) -> Values:
        path = {key: value for key, value in paths.items() if f"{{{key}}}" in name}
        return Values(path, ADMIN_PARAMETERS.get(name, {}), bodies.get(name, NOT_SET))

    schema = document(stack).include(path_regex="/admin/").exclude(method="DELETE", path="/api/v1/admin/tenants/{name}")
    assert send_each(schema, operator_key(stack), values_of) >= 17
