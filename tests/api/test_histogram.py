"""Tests of histograms by a field over REST: fields of any name and value, limits, and fields that are refused."""

import time

import pytest

from tests import otlp
from tests.api_client import Api, Json
from tests.otlp import attribute
from tests.running_stack import Stack
from tests.tenants import TenantKeys, new_tenant

BUCKET_NS = 10 * 10**9
START_NS = time.time_ns() // BUCKET_NS * BUCKET_NS - 3600 * 10**9
"""Start of the records and of the first bucket, in nanoseconds since the Unix epoch."""
SECONDS = 70
"""Number of records, one in each second."""
HOSTILE = ("it's", 'a"b', "x/y z", "имя", "'); DROP TABLE logs_0; --", "{field:String}", "a\\b", "%25", "a\nb", "")


def value_of(second: int) -> str:
    """Returns the value of the record of a second. Of eight values, the first ones are the most frequent."""
    return HOSTILE[min(second % 9, second % 11, 7)]


@pytest.fixture(scope="module")
def keys(stack: Stack) -> TenantKeys:
    keys = new_tenant(stack, "series")
    records = [
        {**otlp.record("counted", START_NS + second * 10**9), "attributes": [attribute("value", value_of(second))]}
        for second in range(SECONDS)
    ]
    records += [
        {**otlp.record("named", START_NS), "attributes": [attribute(name, name)]} for name in HOSTILE if name != ""
    ]
    assert otlp.send(stack.otlp_http_url, keys.ingest, otlp.request(*records)).status_code == 200
    with Api(stack.api_url, keys.query) as api:
        api.wait_for_count(len(records), START_NS, START_NS + SECONDS * 10**9)
    return keys


def counted(api: Api, **parameters: str | int) -> Json:
    return api.ok("/logs/histogram", start=START_NS, end=START_NS + SECONDS * 10**9, buckets=7, **parameters)


def test_five_values_are_counted_and_all_others_together(stack: Stack, keys: TenantKeys) -> None:
    seconds: dict[str, list[int]] = {}
    for second in range(SECONDS):
        seconds.setdefault(value_of(second), []).append(second)
    frequent = sorted(seconds, key=lambda value: (-len(seconds[value]), value.encode()))
    with Api(stack.api_url, keys.query) as api:
        answer = counted(api, by="value")
    assert len(seconds) > 5
    assert [each["value"] for each in answer["series"]] == [*frequent[:5], None, None]
    assert [each["kind"] for each in answer["series"]] == ["value"] * 5 + ["other", "absent"]
    others = [second for value in frequent[5:] for second in seconds[value]]
    for each, found in zip(answer["series"], [*(seconds[value] for value in frequent[:5]), others], strict=False):
        assert each["counts"] == [sum(second // 10 == bucket for second in found) for bucket in range(7)]
        assert each["total"] == len(found)
    assert [bucket["total"] for bucket in answer["buckets"]] == [10 + len(HOSTILE) - 1, *[10] * 6]
    assert all(bucket["by_severity"] == {} for bucket in answer["buckets"])
    assert answer["by"] == "value"


@pytest.mark.parametrize("name", [name for name in HOSTILE if name != ""])
def test_any_name_is_a_field(stack: Stack, keys: TenantKeys, name: str) -> None:
    with Api(stack.api_url, keys.query) as api:
        answer = counted(api, by=name)
        body = {"query": "", "start": START_NS, "end": START_NS + SECONDS * 10**9, "buckets": 7, "by": name}
        assert api.post("/logs/histogram", body).json() == answer
    kinds = [(each["kind"], each["value"], each["total"]) for each in answer["series"]]
    assert kinds == [("value", name, 1), ("absent", None, SECONDS + len(HOSTILE) - 2)]


def test_without_a_field_the_counts_are_by_severity(stack: Stack, keys: TenantKeys) -> None:
    with Api(stack.api_url, keys.query) as api:
        answer = counted(api)
        nothing = counted(api, by="value", query="absentword")
    assert (answer["by"], answer["series"]) == (None, [])
    assert nothing["series"] == []
    assert [bucket["total"] for bucket in nothing["buckets"]] == [0] * 7


@pytest.mark.parametrize("by", ["", "body", "trace_id", "timestamp", "attributes.", "flags"])
def test_a_field_whose_values_are_not_counted_is_refused(stack: Stack, keys: TenantKeys, by: str) -> None:
    with Api(stack.api_url, keys.query) as api:
        refused = api.get("/logs/histogram", by=by)
    assert refused.status_code == 400
    assert refused.json()["code"] == "invalid_request"
    assert refused.json()["detail"]
