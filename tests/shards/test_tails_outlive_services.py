"""Tests that tails get a notice when the API stops or Kafka is killed, and each record once."""

import os
import signal
import time

import httpx2
import pytest

from tests import otlp
from tests.api.tail_client import Event, bodies, tail
from tests.api_client import Api
from tests.eventually import eventually
from tests.running_stack import Stack
from tests.tenants import TenantKeys, new_tenant

pytestmark = pytest.mark.faults

WAIT_SECONDS = 120


@pytest.fixture
def tenant(two: Stack) -> TenantKeys:
    return new_tenant(two, "tails")


def test_a_server_that_stops_says_so_and_the_next_goes_on(two: Stack, tenant: TenantKeys) -> None:
    with tail(two, tenant.query, "") as client:
        send_until_taken(two, tenant, "before")
        [before] = client.logs(1)
        os.kill(two.pid("api"), signal.SIGTERM)
        end = client.event()
    assert (end.name, end.data and end.data["code"], end.data and end.data["dropped"]) == ("end", "unavailable", 0)
    send_until_taken(two, tenant, "after")
    wait_for_api(two, tenant)
    with tail(two, tenant.query, "", before.id) as client:
        assert bodies(client.logs(1)) == ["after"]


def test_nothing_is_left_out_while_kafka_is_unreachable(two: Stack, tenant: TenantKeys) -> None:
    start = time.time_ns() - 60 * 10**9
    with tail(two, tenant.query, "") as client:
        send_until_taken(two, tenant, "one")
        events = client.logs(1)
        os.kill(two.pid("kafka"), signal.SIGKILL)
        send_until_taken(two, tenant, "two")
        while not {"restored", "two"} <= {*notices(events), *bodies(events)} or not complete(
            two, tenant, start, events
        ):
            events.append(client.event())
    pairs = notices(events)
    assert pairs == ["interrupted", "restored"] * (len(pairs) // 2)


def notices(events: list[Event]) -> list[str]:
    return [str(event.name) for event in events if event.name != "log"]


def complete(stack: Stack, tenant: TenantKeys, start: int, events: list[Event]) -> bool:
    """Returns true if the tail has had all stored records, each once.

    Records of a failed request may be stored too.
    """
    tailed = sorted(str(event.data["id"]) for event in events if event.name == "log" and event.data is not None)
    deadline = time.monotonic() + WAIT_SECONDS
    with Api(stack.api_url, tenant.query) as api:
        while len(stored := stored_ids(api, start)) < len(tailed):
            assert time.monotonic() < deadline, (stored, tailed)
            time.sleep(0.5)
    assert len(stored) > len(tailed) or stored == tailed
    return stored == tailed


def stored_ids(api: Api, start: int) -> list[str]:
    answer = api.get("/logs/search", query="", start=start, end=time.time_ns(), limit=100)
    return sorted(log["id"] for log in answer.json()["logs"]) if answer.status_code == 200 else []


def send_until_taken(stack: Stack, tenant: TenantKeys, text: str) -> None:
    """Sends a record until the receiver answers 200."""
    body = otlp.request(otlp.record(text))
    url = stack.otlp_http_url
    eventually(lambda: otlp.send(url, tenant.ingest, body).status_code == 200, "the receiver takes it", WAIT_SECONDS)


def wait_for_api(stack: Stack, tenant: TenantKeys) -> None:
    with Api(stack.api_url, tenant.query) as api:
        eventually(lambda: answers(api), "the API is back", WAIT_SECONDS)


def answers(api: Api) -> bool:
    try:
        return api.get("/logs/search", query="").status_code == 200
    except httpx2.HTTPError:
        return False
