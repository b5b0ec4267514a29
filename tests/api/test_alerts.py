"""Tests alert rules over a whole stack: made over REST, evaluated and reported by the stack's worker."""

import time
from concurrent.futures import ThreadPoolExecutor

import httpx2

from backend.alerts.schedule import next_due
from tests import otlp
from tests.api_client import Api, Json
from tests.eventually import eventually
from tests.running_stack import Stack
from tests.tenants import TenantKeys, new_tenant

EVALUATED_SECONDS = 100.0
"""Longest wait for an evaluation, in seconds: a minute, plus the time until the worker has read the new tenant."""

DUE_NS = range(3 * 10**9, 15 * 10**9)
"""Nanoseconds until a rule is due: enough for the worker to read it before, and less than a usual wait."""

TRIES = 45
"""Largest number of rules that are made until one is due soon. A tenant may make twice as many changes at once."""

THREADS = 4


def sent_errors(stack: Stack, name: str) -> TenantKeys:
    """Returns the keys of a new tenant with seven errors of service web and two of service pay, half an hour ago."""
    keys, now = new_tenant(stack, name), time.time_ns() - 1800 * 10**9
    for service, count in (("web", 7), ("pay", 2)):
        records = [otlp.record(f"failed {number}", now + number) for number in range(count)]
        assert otlp.send(stack.otlp_http_url, keys.ingest, otlp.request(*records, service=service)).status_code == 200
    with Api(stack.api_url, keys.query) as api:
        api.wait_for_count(9, now, now + 10**9)
    return keys


def rule(**changed: object) -> Json:
    return {
        "name": "Failures",
        "query": "failed | stats count() by service",
        "range_seconds": 3600,
        "interval_seconds": 60,
        "condition": {"column": "count()", "comparison": ">", "threshold": 5},
        "channels": [{"kind": "webhook", "url": "http://127.0.0.1:9/s3cret", "headers": {"X-Token": "s3cret"}}],
        **changed,
    }


def rule_due_soon(api: Api) -> Json:
    """Makes a rule that is very probably due in a few seconds, and returns it.

    The second at which a rule is due follows from its random id. Rules that are due later are deleted again.
    """
    for tries_left in reversed(range(TRIES)):
        made = api.post("/alerts", rule())
        assert made.status_code == 201, made.text
        found: Json = made.json()
        now_ns = time.time_ns()
        if next_due(found["id"], found["interval_seconds"], now_ns) - now_ns in DUE_NS or tries_left == 0:
            break
        assert api.delete(f"/alerts/{found['id']}").status_code == 204
    return found


def test_a_rule_fires_for_the_group_that_is_above_its_threshold(stack: Stack) -> None:
    keys = sent_errors(stack, "alerts")
    with Api(stack.api_url, keys.query) as api:
        made = rule_due_soon(api)
        path = f"/alerts/{made['id']}"
        assert made["channels"] == [{"kind": "webhook", "destination": "http://127.0.0.1:9/…"}]

        def is_reported() -> bool:
            return any(notice["state"] != "waiting" for notice in api.ok(f"{path}/history")["notices"])

        eventually(is_reported, "the rule fires, and its notice is attempted", EVALUATED_SECONDS)
        status = api.ok(path)
        assert status["alert"]["state"] == "firing"
        assert [(each["group"], each["value"]) for each in status["groups"]] == [(["web"], 7.0)]
        history = api.ok(f"{path}/history")
        (notice,) = history["notices"]
        # The receiver is on loopback, which webhooks may not reach.
        assert (notice["kind"], notice["state"]) == ("firing", "failed")
        assert "LOGSIEVE_ALERTS_WEBHOOK_NETWORKS" in notice["detail"]
        shown = api.get("/alerts").text + str(history) + str(status) + str(made)
        assert "s3cret" not in shown
    other = new_tenant(stack, "alertsother")
    with Api(stack.api_url, other.query) as api:
        assert api.ok("/alerts") == {"alerts": []}
        for hidden in (path, f"{path}/history"):
            assert api.get(hidden).status_code == 404
        assert api.post(f"{path}/test", {}).status_code == 404


def test_a_key_that_changes_rules_all_the_time_is_slowed_down(stack: Stack) -> None:
    keys = new_tenant(stack, "restless")
    with Api(stack.api_url, keys.query) as api:
        path = f"/alerts/{api.post('/alerts', rule()).json()['id']}"

        def refused(_thread: int) -> httpx2.Response:
            answers = (api.post(f"{path}/mute", {"until": None}) for _ in range(1_000))
            # Changes wait for each other. On a busy machine, one may be answered 503 because it has waited too long.
            return next(answer for answer in answers if answer.status_code not in (200, 503))

        # From several threads, changes are sent faster than the key may make them, even if each takes long.
        with ThreadPoolExecutor(THREADS) as pool:
            for answer in pool.map(refused, range(THREADS)):
                assert (answer.status_code, answer.json()["code"]) == (429, "rate_limited")
                assert answer.headers["retry-after"] == "1"
        assert api.ok(path)["alert"]["name"] == "Failures"
