"""Tests that usage counts accepted and refused records exactly, even if the loader is killed."""

import json
import os
import signal
import time
from contextlib import suppress
from typing import Any

from stack.launch import running_state
from tests import otlp
from tests.api_client import Api
from tests.ingest.urls import http_url
from tests.running_stack import Stack
from tests.tenants import TenantKeys, new_tenant

LOADED_SECONDS = 60.0
REFUSED_SECONDS = 30.0
QUIET_SECONDS = 2.0


def totals(stack: Stack, keys: TenantKeys) -> dict[str, dict[str, Any]]:
    """Returns the tenant's usage from the API, by outcome."""
    with Api(stack.api_url, keys.query) as api:
        usage = api.ok("/usage")
    return {each["outcome"]: each for each in usage["totals"]}


def wait_for(stack: Stack, keys: TenantKeys, count: tuple[str, str], expected: int, seconds: float) -> None:
    """Waits until a usage has the expected value. `count` is its outcome and field. A larger value fails the test."""
    outcome, field = count
    deadline = time.monotonic() + seconds
    while (found := totals(stack, keys).get(outcome, {}).get(field, 0)) != expected:
        assert found < expected, f"{found} {field} {outcome}, only {expected} were sent"
        assert time.monotonic() < deadline, f"{found} of {expected} {field} {outcome} after {seconds} s"
        time.sleep(0.3)


def kill(stack: Stack, service: str) -> None:
    """Kills a service's process. If the service has none, waits until the supervisor has started the next one."""
    deadline = time.monotonic() + LOADED_SECONDS
    while True:
        with suppress(ProcessLookupError):
            if (process := running_process(stack, service)) is not None:
                os.kill(process, signal.SIGKILL)
                return
        assert time.monotonic() < deadline, f"{service} is not started again in {LOADED_SECONDS} s"
        time.sleep(0.1)


def running_process(stack: Stack, service: str) -> int | None:
    state = running_state(stack.settings)
    assert state is not None
    found = state.service(service)
    assert found is not None
    return None if found.process is None else found.process.pid


def test_accepted_is_counted_exactly_though_the_loader_is_killed(stack: Stack) -> None:
    keys = new_tenant(stack, "counted")
    records = 0
    for number in range(90):
        count = 1 + number % 7
        sent = otlp.request(*(otlp.record(f"{number} {each}") for each in range(count)))
        assert otlp.send(http_url(stack), keys.ingest, sent).status_code == 200
        records += count
        if number in (30, 60):
            kill(stack, "loader")
    wait_for(stack, keys, ("accepted", "records"), records, LOADED_SECONDS)
    time.sleep(QUIET_SECONDS)
    accepted = totals(stack, keys)["accepted"]
    assert (accepted["records"], accepted["requests"]) == (records, 90)
    listed = stack.logsieve("usage", "--tenant", keys.tenant, "--since", "1h", "--json")
    assert listed.returncode == 0, listed.stderr
    (entry,) = (each for each in json.loads(listed.stdout) if each["outcome"] == "accepted")
    assert {name: entry[name] for name in ("requests", "records", "bytes")} == {
        name: accepted[name] for name in ("requests", "records", "bytes")
    }


def test_refused_is_counted_by_reason(stack: Stack) -> None:
    keys, other = new_tenant(stack, "refused"), new_tenant(stack, "other")
    old = otlp.record("old", timestamp_ns=1)
    assert otlp.send(http_url(stack), keys.ingest, otlp.request(old, old, otlp.record("new"))).status_code == 200
    assert otlp.send(http_url(stack), keys.ingest, []).status_code == 400
    wait_for(stack, keys, ("too_old", "records"), 2, REFUSED_SECONDS)
    wait_for(stack, keys, ("invalid_request", "requests"), 1, REFUSED_SECONDS)
    wait_for(stack, keys, ("accepted", "records"), 1, REFUSED_SECONDS)
    assert set(totals(stack, other)) <= {"accepted"}


def test_a_range_that_is_none_is_refused(stack: Stack) -> None:
    with Api(stack.api_url, stack.keys.query_key) as api:
        assert api.get("/usage", start=5, end=5).status_code == 400
        assert api.get("/usage", start=0).status_code == 400
        assert api.get("/usage", interval="year").status_code == 400
    with Api(stack.api_url, stack.keys.ingest_key) as api:
        assert api.get("/usage").status_code == 403
