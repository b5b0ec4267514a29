"""Tests that invalid input is refused with a status and a code, and invalid query text also with a position."""

import pytest

from tests import otlp
from tests.api_client import Api
from tests.running_stack import Stack
from tests.tenants import TenantKeys, new_tenant


@pytest.fixture(scope="module")
def keys(stack: Stack) -> TenantKeys:
    return new_tenant(stack, "refusals")


@pytest.mark.parametrize(
    ("query", "position"),
    [
        ("error AND", 9),
        ("(error", 6),
        ("error)", 5),
        ('"error', 0),
        ("severity:loud", 9),
        ("/(/", 0),
        ("!!!", 0),
        ("latency:[1 TO", 13),
        ("trace_id:xyz", 9),
    ],
)
@pytest.mark.parametrize("path", ["/logs/search", "/logs/histogram", "/logs/explain", "/logs/export"])
def test_query_text_is_refused_with_a_position(
    stack: Stack, keys: TenantKeys, path: str, query: str, position: int
) -> None:
    with Api(stack.api_url, keys.query) as api:
        refused = api.get(path, query=query)

    problem = refused.json()
    assert (refused.status_code, problem["code"]) == (400, "invalid_query"), problem
    assert problem["position"] == position, problem
    assert problem["detail"]


@pytest.mark.parametrize(
    "parameters",
    [
        {"limit": 0},
        {"limit": 1001},
        {"limit": "many"},
        {"order": "sideways"},
        {"start": "yesterday"},
        {"start": "2026-01-02T00:00:00Z", "end": "2026-01-01T00:00:00Z"},
        {"plan": "magic"},
        {"start": 1_700_000_000},
        {"qeury": "error"},
    ],
)
def test_parameters_are_refused(stack: Stack, keys: TenantKeys, parameters: dict[str, str | int]) -> None:
    with Api(stack.api_url, keys.query) as api:
        for refused in (api.get("/logs/search", **parameters), api.post("/logs/search", dict(parameters))):
            assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request"), refused.text


@pytest.mark.parametrize(
    "path",
    [
        *("/logs/search", "/logs/histogram", "/logs/explain", "/logs/export", "/logs/fields", "/logs/tail"),
        *("/logs/fields/service/values", f"/logs/{'0' * 48}", f"/logs/{'0' * 48}/context", "/usage", "/tenant"),
    ],
)
def test_every_route_names_parameters_that_it_does_not_know(stack: Stack, keys: TenantKeys, path: str) -> None:
    with Api(stack.api_url, keys.query) as api:
        refused = api.get(path, qeury="error")
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request"), refused.text
    assert refused.json()["detail"].startswith("unknown parameter `qeury`: "), refused.text


LONGEST = "(" + " OR ".join(f'"ünï{number:03}{"字" * 20}"' for number in range(255)) + ")"
"""Query of nearly 8,192 characters, the most that are permitted. Percent-encoded, it is too long for a URL."""


def test_the_longest_query_fits_a_body(stack: Stack, keys: TenantKeys) -> None:
    assert 8_000 < len(LONGEST) <= 8_192
    with Api(stack.api_url, keys.query) as api:
        for path in ("search", "histogram", "explain", "export", "fields", "fields/service/values"):
            answer = api.post(f"/logs/{path}", {"query": LONGEST})
            assert answer.status_code == 200, (path, answer.text)
        problem = api.post("/logs/search", {"query": LONGEST + " " * 8_192}).json()
    assert (problem["code"], problem["position"]) == ("invalid_query", 8_192)


def test_unknown_paths_and_records_are_not_found(stack: Stack, keys: TenantKeys) -> None:
    with Api(stack.api_url, keys.query) as api:
        for path in ("/nothing", "/logs/not-an-id", "/logs/" + "0" * 48):
            refused = api.get(path)
            assert (refused.status_code, refused.json()["code"]) == (404, "not_found"), path
            assert refused.headers["content-type"] == "application/problem+json", path


@pytest.mark.parametrize(
    "body",
    [
        "not an object",
        [1],
        {"resourceLogs": "text"},
        {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"timeUnixNano": "soon"}]}]}]},
        {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"traceId": "zz"}]}]}]},
    ],
)
def test_malformed_logs_are_refused(stack: Stack, keys: TenantKeys, body: object) -> None:
    refused = otlp.send(stack.otlp_http_url, keys.ingest, body)

    assert refused.status_code == 400
    assert refused.json()["message"]


def test_what_cannot_be_kept_is_refused_one_by_one(stack: Stack, keys: TenantKeys) -> None:
    answer = otlp.send(
        stack.otlp_http_url,
        keys.ingest,
        otlp.request(otlp.record("from long ago", 10**18), otlp.record("of today")),
    )

    assert answer.status_code == 200
    partial = answer.json()["partialSuccess"]
    assert int(partial["rejectedLogRecords"]) == 1
    assert "retention" in partial["errorMessage"]
