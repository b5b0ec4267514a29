"""Tests of hints, which explain why a query found nothing, and suggest the query that was probably meant."""

import json
import time
from collections.abc import Iterator

import httpx2
import pytest

from kit.tls import trusted
from tests import otlp
from tests.api_client import Api, Json
from tests.eventually import eventually
from tests.otlp import attribute
from tests.running_stack import Stack
from tests.tenants import TenantKeys, new_tenant

HOUR_NS = 3600 * 10**9
START_NS = time.time_ns() // HOUR_NS * HOUR_NS - 2 * HOUR_NS


@pytest.fixture(scope="module")
def keys(stack: Stack) -> TenantKeys:
    """Returns the keys of a tenant with one record, whose fields and values are counted."""
    keys = new_tenant(stack, "hints")
    record = otlp.record("payment failed", START_NS, severityNumber=17)
    attributes = [attribute("http.status_code", "503"), attribute("region", "eu-west")]
    resource = {"attributes": [attribute("service.name", "checkout")]}
    logs = [{"resource": resource, "scopeLogs": [{"logRecords": [{**record, "attributes": attributes}]}]}]
    assert otlp.send(stack.otlp_http_url, keys.ingest, {"resourceLogs": logs}).status_code == 200
    with Api(stack.api_url, keys.query) as api:
        api.wait_for_count(1, START_NS, START_NS + HOUR_NS)
        counted = {"http.status_code", "region", "service"}
        eventually(lambda: counted <= names(api), "the fields are counted")
    return keys


@pytest.fixture
def api(stack: Stack, keys: TenantKeys) -> Iterator[Api]:
    with Api(stack.api_url, keys.query) as api:
        yield api


def names(api: Api) -> set[str]:
    return {each["name"] for each in found(api, "/logs/fields", "")["fields"]}


def found(api: Api, path: str, query: str) -> Json:
    return api.ok(path, query=query, start=START_NS, end=START_NS + HOUR_NS)


@pytest.mark.parametrize(
    ("query", "detail", "meant"),
    [
        ("level:error", "the field level; did you mean severity?", "severity:error"),
        ("status:503", "did you mean http.status_code?", "http.status_code:503"),
        ("payment regoin:eu-west", "did you mean region?", "payment region:eu-west"),
        ("service:Checkout", "have service:checkout, which Checkout does not find", "service:checkout"),
        ("region:(EU-WEST OR us)", "have region:eu-west, which EU-WEST does not find", "region:(eu-west OR us)"),
        ("colour:red", "no record in this range has the field colour", None),
        ("not absent payment", "not is searched as a word", "-absent payment"),
        ("payment|absent", "| separates words", "(payment OR absent)"),
        ("region=eu-west", "write a colon to compare a field, as in name:value", "region:eu-west"),
        ("region: eu-west", "the query searches for the word region, because a space follows", "region:eu-west"),
    ],
)
def test_a_query_without_results_says_what_was_probably_meant(
    api: Api, query: str, detail: str, meant: str | None
) -> None:
    page = found(api, "/logs/search", query)
    assert page["logs"] == []
    (hint,) = page["hints"]
    assert detail in hint["detail"]
    assert hint["query"] == meant
    if meant is not None:
        assert len(found(api, "/logs/search", meant)["logs"]) == 1


@pytest.mark.parametrize(
    "query", ["payment", "absent", "-payment", "severity:debug", "region:us", "-colour:red -payment"]
)
def test_a_query_without_a_likely_mistake_has_no_hints(api: Api, query: str) -> None:
    assert found(api, "/logs/search", query)["hints"] == []


def test_a_stream_ends_with_the_hints(stack: Stack, keys: TenantKeys, api: Api) -> None:
    answer = httpx2.get(
        f"{stack.api_url}/logs/search",
        params={"query": "level:error", "start": START_NS, "end": START_NS + HOUR_NS},
        headers={"Authorization": f"Bearer {keys.query}", "Accept": "application/x-ndjson"},
        verify=trusted(),
    )
    page = json.loads(answer.text.splitlines()[-1])["page"]
    assert page["hints"] == found(api, "/logs/search", "level:error")["hints"] != []


@pytest.mark.usefixtures("keys")
def test_values_of_another_tenant_are_no_hints(stack: Stack) -> None:
    with Api(stack.api_url, new_tenant(stack, "hintless").query) as other:
        assert found(other, "/logs/search", "service:Checkout")["hints"] == [
            {"detail": "no record in this range has the field service", "query": None}
        ]
