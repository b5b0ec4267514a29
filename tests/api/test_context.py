"""Tests of a record's context over REST: the records before and after it, in order, and only of its tenant."""

import time

import pytest

from tests import otlp
from tests.api_client import Api, Json
from tests.running_stack import Stack
from tests.tenants import TenantKeys, new_tenant

MOMENTS, EACH = 8, 6
START_NS = time.time_ns() // 10**9 * 10**9 - 3600 * 10**9


def request(part: int) -> Json:
    """Returns a request with one record at each of MOMENTS times, all from pod number `part`, of two traces."""
    attributes = [
        {"key": "service.name", "value": {"stringValue": f"service-{part % 2}"}},
        {"key": "host.name", "value": {"stringValue": "host=1"}},
        {"key": "k8s.pod.name", "value": {"stringValue": f"pod-{part}"}},
    ]
    records = [
        otlp.record(f"moment {moment} part {part}", START_NS + moment * 10**9, traceId=f"{moment % 2 + 1:032x}")
        for moment in range(MOMENTS)
    ]
    return {"resourceLogs": [{"resource": {"attributes": attributes}, "scopeLogs": [{"logRecords": records}]}]}


@pytest.fixture(scope="module")
def keys(stack: Stack) -> TenantKeys:
    keys = new_tenant(stack, "context")
    for part in range(EACH):
        assert otlp.send(stack.otlp_http_url, keys.ingest, request(part)).status_code == 200
    bare = otlp.record("nobody's", START_NS - 10**9)
    sent = otlp.send(stack.otlp_http_url, keys.ingest, {"resourceLogs": [{"scopeLogs": [{"logRecords": [bare]}]}]})
    assert sent.status_code == 200
    with Api(stack.api_url, keys.query) as api:
        api.wait_for_count(MOMENTS * EACH + 1, START_NS - 10**9, START_NS + 3600 * 10**9)
    return keys


def everything(api: Api) -> list[Json]:
    return list(api.pages("moment", START_NS, START_NS + 3600 * 10**9, order="asc"))


def ids(logs: list[Json]) -> list[str]:
    return [log["id"] for log in logs]


def test_every_record_stands_between_its_neighbours(stack: Stack, keys: TenantKeys) -> None:
    with Api(stack.api_url, keys.query) as api:
        logs = everything(api)
        assert len({log["timestamp"] for log in logs}) == MOMENTS < len(logs) == MOMENTS * EACH
        for place in range(1, len(logs), 5):
            context = api.ok(f"/logs/{logs[place]['id']}/context", before=7, after=9, same="host")

            assert context["log"] == logs[place]
            assert context["before"] == logs[max(0, place - 7) : place]
            assert context["after"] == logs[place + 1 : place + 10]
            assert context["complete_before"]
            assert context["complete_after"]


@pytest.mark.parametrize(
    ("same", "shared"),
    [
        ("service", ("service",)),
        ("pod", ("resource",)),
        ("trace", ("trace_id",)),
        ("service,trace", ("service", "trace_id")),
        ("service, host,pod,trace", ("resource", "trace_id")),
    ],
)
def test_the_same_is_shared(stack: Stack, keys: TenantKeys, same: str, shared: tuple[str, ...]) -> None:
    """Tests that a context with `same` has exactly the records whose fields `shared` equal those of the record."""
    with Api(stack.api_url, keys.query) as api:
        logs = everything(api)
        chosen = logs[20]
        expected = [log for log in logs if all(log[name] == chosen[name] for name in shared)]
        context = api.ok(f"/logs/{chosen['id']}/context", before=200, after=200, same=same)

    assert 1 < len(expected) < len(logs)
    assert context["before"] + [context["log"]] + context["after"] == expected
    assert context["stats"]["rows_read"] > 0


def test_beyond_the_ends_there_is_nothing(stack: Stack, keys: TenantKeys) -> None:
    with Api(stack.api_url, keys.query) as api:
        logs = everything(api)
        last = api.ok(f"/logs/{logs[-1]['id']}/context", before=0, after=200, same="host")
        first = api.ok(f"/logs/{logs[0]['id']}/context", before=200, after=1, same="host")

    assert (last["before"], last["after"], last["complete_after"]) == ([], [], True)
    assert (first["before"], ids(first["after"]), first["complete_before"]) == ([], ids(logs[1:2]), True)


def test_ten_on_each_side_by_default(stack: Stack, keys: TenantKeys) -> None:
    with Api(stack.api_url, keys.query) as api:
        logs = everything(api)
        context = api.ok(f"/logs/{logs[24]['id']}/context")

    assert (ids(context["before"]), ids(context["after"])) == (ids(logs[14:24]), ids(logs[25:35]))


def test_what_cannot_be_is_refused(stack: Stack, keys: TenantKeys) -> None:
    """Tests that wrong parameters, a `same` whose field the record lacks, and an unknown id are refused."""
    with Api(stack.api_url, keys.query) as api:
        bare = api.ok("/logs/search", query="nobody", start=START_NS - 10**9)["logs"][0]["id"]
        for parameters in ({"before": 201}, {"after": -1}, {"same": "node"}, {"same": "trace"}, {"same": "pod,host"}):
            refused = api.get(f"/logs/{bare}/context", **parameters)
            assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request"), parameters
        assert "k8s.pod.name" in api.get(f"/logs/{bare}/context", same="pod").json()["detail"]
        assert api.get("/logs/not-an-id/context").status_code == 404


def test_another_tenants_record_is_not_found(stack: Stack, keys: TenantKeys) -> None:
    with Api(stack.api_url, keys.query) as ours, Api(stack.api_url, stack.keys.query_key) as theirs:
        known = everything(ours)[0]["id"]

        assert ours.get(f"/logs/{known}/context").status_code == 200
        assert theirs.get(f"/logs/{known}/context").status_code == 404
