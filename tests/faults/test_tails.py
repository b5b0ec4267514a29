"""Tests that tail clients which open too many tails, resume too late or do not read do not affect other clients."""

import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urlsplit

import httpx2
import pytest

from tests import otlp
from tests.api.own_api import own_api
from tests.api.tail_client import bodies, tail
from tests.running_stack import Stack
from tests.tenants import TenantKeys, new_tenant

pytestmark = pytest.mark.faults

RESUME_SECONDS = 2
MAX_TAILS = 2
BUFFER = 2**18
WAIT_SECONDS = 120


@pytest.fixture(scope="module")
def fragile(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Yields the stack with a separate API process, which permits few tails, short gaps and small buffers."""
    limits = {
        "TAIL_RESUME_SECONDS": str(RESUME_SECONDS),
        "TAIL_MAX_PER_TENANT": str(MAX_TAILS),
        "TAIL_BUFFER_BYTES": str(BUFFER),
    }
    with own_api(stack, tmp_path_factory.mktemp("fragile") / "api.log", **limits) as url:
        yield replace(stack, api_url=url)


@pytest.fixture
def tenant(fragile: Stack) -> TenantKeys:
    return new_tenant(fragile, "fragile")


def test_there_are_so_many_tails_of_a_tenant(fragile: Stack, tenant: TenantKeys) -> None:
    """Tests that a tenant's tail over the limit is refused, and that an ended tail makes room for another."""
    with tail(fragile, tenant.query, "a"):
        with tail(fragile, tenant.query, "b"), pytest.raises(AssertionError, match="rate_limited"):
            open_tail(fragile, tenant, "c")
        eventually_opens(fragile, tenant)


def test_a_tail_that_resumes_too_late_gets_a_gap_event(fragile: Stack, tenant: TenantKeys) -> None:
    with tail(fragile, tenant.query, "") as client:
        send(fragile, tenant, "seen")
        last = client.logs(1)[0].id
    send(fragile, tenant, "too old")
    time.sleep(RESUME_SECONDS + 1)
    send(fragile, tenant, "new")
    with tail(fragile, tenant.query, "", last) as client:
        gap = client.event()
        assert (gap.name, gap.data) == ("gap", {"detail": f"a tail resumes after {RESUME_SECONDS} seconds at most"})
        assert bodies(client.logs(1)) == ["new"]


def test_a_client_that_does_not_read_costs_little_and_hinders_nobody(fragile: Stack, tenant: TenantKeys) -> None:
    rounds, records, size = 16, 250, 4_000
    with unread_tail(fragile, tenant) as unread, tail(fragile, tenant.query, "") as reading:
        for number in range(rounds):
            send(fragile, tenant, *[f"{number} {'x' * size}"] * records)
            assert {body.split()[0] for body in bodies(reading.logs(records))} == {str(number)}
        eventually_opens(fragile, tenant)
        unread.settimeout(10)
        received = 0
        while piece := read_some(unread):
            received += len(piece)
        assert 0 < received < rounds * records * size // 2


def send(stack: Stack, tenant: TenantKeys, *texts: str) -> None:
    answer = otlp.send(stack.otlp_http_url, tenant.ingest, otlp.request(*map(otlp.record, texts)))
    assert answer.status_code == 200, answer.text


def open_tail(stack: Stack, tenant: TenantKeys, query: str) -> None:
    """Opens a tail and disconnects at once."""
    with tail(stack, tenant.query, query):
        pass


def eventually_opens(stack: Stack, tenant: TenantKeys) -> None:
    """Waits until one more tail can be opened."""
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            return open_tail(stack, tenant, "room")
        except (AssertionError, httpx2.HTTPError):
            assert time.monotonic() < deadline, "no tail can be opened"
            time.sleep(0.2)


def unread_tail(stack: Stack, tenant: TenantKeys) -> socket.socket:
    """Opens a tail, reads its first event, and returns the connection, from which nothing more is read."""
    url = urlsplit(stack.api_url)
    assert url.hostname is not None
    assert url.port is not None
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2**14)
    client.connect((url.hostname, url.port))
    request = f"GET {url.path}/logs/tail HTTP/1.1\r\nHost: {url.netloc}\r\nAuthorization: Bearer {tenant.query}\r\n\r\n"
    client.sendall(request.encode())
    seen = b""
    while b"event: open" not in seen:
        seen += client.recv(256)
    return client


def read_some(client: socket.socket) -> bytes:
    try:
        return client.recv(2**16)
    except ConnectionResetError:
        return b""
