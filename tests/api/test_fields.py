"""Tests of fields and their values over REST: counts made at insert, counts for a query, and only of one tenant."""

import time
from urllib.parse import quote

import pytest

from schema.clickhouse.fields_rollup import BUCKET_SECONDS
from tests import otlp
from tests.api_client import Api, Json
from tests.eventually import eventually
from tests.otlp import attribute
from tests.running_stack import Stack
from tests.tenants import TenantKeys, new_tenant

BUCKET_NS = BUCKET_SECONDS * 10**9
START_NS = time.time_ns() // BUCKET_NS * BUCKET_NS - 3600 * 10**9
"""Start of the records, in nanoseconds since the Unix epoch. All records are in one bucket of counts."""
RECORDS = 60
HOSTILE = ("it's", 'a"b', "x/y z", "имя", "'); DROP TABLE logs_0; --", "{p0:String}", "a\\b", "%25", "a\nb")


def request() -> Json:
    """Returns RECORDS records of two services. `both` is an attribute of ten records and of both resources."""
    resources = []
    for service in range(2):
        records = []
        for number in range(RECORDS // 2):
            attributes = [attribute("request.id", f"{service}-{number}"), attribute("level", f"L{number % 3}")]
            attributes += [attribute(name, f"value of {name}") for name in HOSTILE] if number < 10 else []
            attributes += [attribute("both", "log")] if number < 5 else []
            word = "rare" if number % 10 == 0 else "common"
            record = otlp.record(f"a {word} record", START_NS + number * 10**9, severityNumber=9 + 8 * service)
            records.append({**record, "attributes": attributes})
        named = [attribute("service.name", f"service-{service}"), attribute("both", "resource")]
        resources.append({"resource": {"attributes": named}, "scopeLogs": [{"logRecords": records}]})
    return {"resourceLogs": resources}


@pytest.fixture(scope="module")
def keys(stack: Stack) -> TenantKeys:
    keys = new_tenant(stack, "fields")
    assert otlp.send(stack.otlp_http_url, keys.ingest, request()).status_code == 200
    with Api(stack.api_url, keys.query) as api:
        api.wait_for_count(RECORDS, START_NS, START_NS + 3600 * 10**9)
        # Counts are inserted after the rows. `request.id` and `service` are waited for as examples.
        counted = {"request.id", "service"}
        eventually(lambda: counted <= {each["name"] for each in fields(api)["fields"]}, "the fields are counted")
    return keys


def fields(api: Api, **parameters: str | int) -> Json:
    return api.ok("/logs/fields", start=START_NS, end=START_NS + 3600 * 10**9, **parameters)


def values(api: Api, name: str, **parameters: str | int) -> Json:
    path = f"/logs/fields/{quote(name, safe='')}/values"
    return api.ok(path, start=START_NS, end=START_NS + 3600 * 10**9, **parameters)


def listed(answer: Json) -> dict[str, int]:
    return {each["value"]: each["records"] for each in answer["values"]}


def test_every_field_is_there_with_its_records(stack: Stack, keys: TenantKeys) -> None:
    with Api(stack.api_url, keys.query) as api:
        inserted, newest = fields(api), fields(api, query="record")

    for answer in (inserted, newest):
        counts = {each["name"]: each["records"] for each in answer["fields"]}
        assert counts == {
            "service": RECORDS,
            "severity": RECORDS,
            "request.id": RECORDS,
            "level": RECORDS,
            "service.name": RECORDS,
            "resource.both": RECORDS,
            "attributes.both": 10,
            **dict.fromkeys(HOSTILE, 20),
        }
        assert answer["complete"]
    assert (inserted["basis"], inserted["sampled"]) == ("inserted", None)
    assert (newest["basis"], newest["sampled"]) == ("newest", RECORDS)


@pytest.mark.parametrize("query", ["", "record"])
def test_values_with_their_records(stack: Stack, keys: TenantKeys, query: str) -> None:
    with Api(stack.api_url, keys.query) as api:
        assert listed(values(api, "level", query=query)) == {"L0": 20, "L1": 20, "L2": 20}
        assert listed(values(api, "service", query=query)) == {"service-0": 30, "service-1": 30}
        assert listed(values(api, "severity", query=query, prefix="e")) == {"error": 30}
        assert listed(values(api, "resource.both", query=query)) == {"resource": RECORDS}
        assert values(api, "level", query=query)["complete"]
        limited = values(api, "level", query=query, limit=2)
        assert (len(limited["values"]), limited["more"], limited["records"]) == (2, True, RECORDS)
        for name in HOSTILE:
            assert listed(values(api, name, query=query)) == {f"value of {name}": 20}, name


def test_a_query_counts_matching_records_only(stack: Stack, keys: TenantKeys) -> None:
    with Api(stack.api_url, keys.query) as api:
        assert listed(values(api, "level", query="rare service:service-1")) == {"L0": 1, "L1": 1, "L2": 1}
        assert listed(values(api, "both", query="record")) == {"resource": 50, "log": 10}
        assert fields(api, query="nowhere")["fields"] == []
        assert values(api, "level", query="nowhere")["records"] == 0


def test_ids_are_counted_and_said_to_be_left_out(stack: Stack, keys: TenantKeys) -> None:
    """Tests that a field with a different value in each record has a count, no values, and is not complete."""
    with Api(stack.api_url, keys.query) as api:
        answer = values(api, "request.id")

    assert (answer["records"], answer["values"], answer["complete"]) == (RECORDS, [], False)


def test_a_name_in_both_places_lists_the_values_of_both(stack: Stack, keys: TenantKeys) -> None:
    with Api(stack.api_url, keys.query) as api:
        answer, requested, first = values(api, "both"), values(api, "both", prefix="l"), values(api, "both", limit=1)

    # The ten records with a log attribute `both` also count for the value of their resource.
    assert (listed(answer), answer["records"], answer["complete"]) == ({"resource": 60, "log": 10}, 70, False)
    assert listed(requested) == {"log": 10}
    assert (listed(first), first["more"]) == ({"resource": 60}, True)


@pytest.mark.usefixtures("keys")
def test_another_tenant_sees_nothing_of_it(stack: Stack) -> None:
    other = new_tenant(stack, "fields-other")
    with Api(stack.api_url, other.query) as api:
        for query in ("", "record"):
            assert fields(api, query=query)["fields"] == []
            for name in ("level", "service", *HOSTILE):
                assert values(api, name, query=query)["values"] == []


def test_what_cannot_be_is_refused(stack: Stack, keys: TenantKeys) -> None:
    with Api(stack.api_url, keys.query) as api:
        for path, parameters in (
            ("/logs/fields/level/values", {"limit": 0}),
            ("/logs/fields/level/values", {"limit": 1001}),
            ("/logs/fields/body/values", {}),
            ("/logs/fields/trace_id/values", {}),
            ("/logs/fields", {"start": "yesterday"}),
        ):
            refused = api.get(path, **parameters)
            assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request"), path
        assert api.get("/logs/fields", query="(a").json()["code"] == "invalid_query"
    with Api(stack.api_url, None) as anonymous:
        assert anonymous.get("/logs/fields").status_code == 401
