import asyncio
import json
import socket
import threading
import time
from urllib.error import HTTPError
from urllib.request import urlopen
from weakref import ref

import psutil
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from kit.errors import Conflict
from kit.metrics import RECEIVER_BYTES, counter
from kit.ops import (
    OPENMETRICS,
    PAUSE_FACTOR,
    PLAIN,
    Exposition,
    Form,
    Readiness,
    ReadinessResult,
    form_of,
    ops_routes,
    serve_ops,
)
from kit.server.connections import CONNECTION

MEDIA = ("text/plain", "application/openmetrics-text")


async def ready() -> None:
    return None


async def behind() -> str:
    return "12,000 messages behind"


async def broken() -> str | None:
    raise ConnectionRefusedError("nobody listens")


async def hanging() -> str | None:
    await asyncio.sleep(3600)
    return None


def test_healthz_answers_whatever_the_probes_say() -> None:
    answer = TestClient(Starlette(routes=ops_routes({"kafka": broken}))).get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_readyz_with_everything_ready() -> None:
    answer = TestClient(Starlette(routes=ops_routes({"kafka": ready, "clickhouse": ready}))).get("/readyz")
    assert answer.status_code == 200
    assert answer.json()["ready"] is True
    assert answer.json()["checks"] == {"kafka": "ok", "clickhouse": "ok"}


def test_readyz_names_each_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kit.ops.PROBE_SECONDS", 0.05)
    probes = {"control": ready, "loader": behind, "kafka": broken, "clickhouse": hanging}
    answer = TestClient(Starlette(routes=ops_routes(probes))).get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["ready"] is False
    assert answer.json()["checks"] == {
        "control": "ok",
        "loader": "12,000 messages behind",
        "kafka": "ConnectionRefusedError: nobody listens",
        "clickhouse": "no answer in 0.05 s",
    }


def test_a_flood_of_requests_probes_the_dependencies_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kit.ops.RESULT_SECONDS", 3600.0)
    requested = 0

    async def counts() -> None:
        nonlocal requested
        requested += 1
        await asyncio.sleep(0)

    async def flood() -> list[ReadinessResult]:
        readiness = Readiness({"kafka": counts})
        at_once = await asyncio.gather(*(readiness.result() for _ in range(100)))
        return [*at_once, await readiness.result()]

    results = asyncio.run(flood())

    assert requested == 1
    assert all(result.ready for result in results)
    with TestClient(Starlette(routes=ops_routes({"kafka": counts}))) as client:
        ages = [client.get("/readyz").json()["age_seconds"] for _ in range(3)]
    assert requested == 2
    assert ages == sorted(ages)


def test_an_old_result_is_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kit.ops.RESULT_SECONDS", 0.0)
    reasons = iter(["unreachable", None])

    async def changes() -> str | None:
        return next(reasons)

    async def twice() -> list[bool]:
        readiness = Readiness({"kafka": changes})
        return [(await readiness.result()).ready for _ in range(2)]

    assert asyncio.run(twice()) == [False, True]


def test_probes_run_concurrently() -> None:
    meeting = asyncio.Barrier(2)

    async def meets() -> None:
        await meeting.wait()

    answer = TestClient(Starlette(routes=ops_routes({"one": meets, "other": meets}))).get("/readyz")
    assert answer.json()["ready"] is True


@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        ("", "text/plain; version=0.0.4"),
        ("application/openmetrics-text; version=1.0.0", "application/openmetrics-text; version=1.0.0"),
        ("Application/OpenMetrics-Text", "application/openmetrics-text; version=1.0.0"),
        (
            "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,"
            "application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;q=0.3,*/*;q=0.1",
            "application/openmetrics-text; version=1.0.0",
        ),
        ("application/openmetrics-text; version=0.0.1, */*", "text/plain; version=0.0.4"),
        ("text/plain; version=x", "text/plain; version=0.0.4"),
        ("application/openmetrics-text; version=x; escaping=y", "application/openmetrics-text; version=1.0.0"),
        (";,=;" * 1000, "text/plain; version=0.0.4"),
    ],
)
@pytest.mark.usefixtures("telemetry")
def test_metrics_have_the_requested_format(accept: str, content_type: str) -> None:
    counter(RECEIVER_BYTES).add(1)
    answer = TestClient(Starlette(routes=ops_routes({}))).get("/metrics", headers={"accept": accept})
    assert answer.headers["content-type"].startswith(content_type)
    assert "target_info{" in answer.text
    assert 'service_name="logsieve-' in answer.text


class Connection:
    """Connection of a request. Counts how often it was released."""

    def __init__(self) -> None:
        self.released = 0

    def protect(self, owner: int) -> None:
        raise AssertionError(f"protected for {owner}")

    def release(self) -> None:
        self.released += 1


def test_requests_without_a_key_that_wait_do_not_keep_their_place_on_a_full_port() -> None:
    connection, app = Connection(), Starlette(routes=ops_routes({}))

    async def connected(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "extensions": {CONNECTION: {"ref": ref(connection)}}}, receive, send)

    client = TestClient(connected)
    assert [client.get(path).status_code for path in ("/readyz", "/metrics")] == [200, 200]
    assert connection.released == 2


def test_made_up_versions_in_the_header_do_not_make_further_texts() -> None:
    forms = {
        form_of(f"{media}; version={version}.{n}") for media in MEDIA for version in ("1.0", "x") for n in range(9)
    }

    assert forms == {PLAIN, OPENMETRICS}


def test_scrapes_at_the_same_time_share_texts_that_are_not_older_than_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, writing, largest = list[bytes](), 0, 0
    begun, are_called = threading.Event(), threading.Event()

    def encode(_registry: object) -> bytes:
        nonlocal writing, largest
        writing += 1
        largest = max(largest, writing)
        begun.set()
        are_called.wait(60)
        time.sleep(0.01)
        texts.append(str(len(texts)).encode())
        writing -= 1
        return texts[-1]

    async def scrape(exposition: Exposition) -> list[bytes]:
        early = [asyncio.create_task(exposition.read("")) for _ in range(10)]
        while not begun.is_set():
            await asyncio.sleep(0)
        late = [asyncio.create_task(exposition.read("")) for _ in range(10)]
        await asyncio.sleep(0)
        are_called.set()
        return [text for text, _ in await asyncio.gather(*early, *late)]

    monkeypatch.setattr("kit.ops.PLAIN", Form("text/plain", encode))
    started = time.monotonic()
    read = asyncio.run(scrape(Exposition()))
    # The first text was begun before the later scrapes were called.
    assert (read, largest) == ([b"0"] * 10 + [b"1"] * 10, 1)
    assert time.monotonic() - started >= 0.01 * (1 + PAUSE_FACTOR)


def test_a_client_that_disconnects_does_not_let_two_texts_be_written_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on, overlaps = threading.Semaphore(0), threading.Event(), list[bool]()

    def encode(_registry: object) -> bytes:
        begun.release()
        go_on.wait(60)
        if not overlaps:
            overlaps.append(begun.acquire(timeout=0.2))
        return b"text"

    async def scrape(exposition: Exposition) -> None:
        disconnected = asyncio.create_task(exposition.read(""))
        await asyncio.to_thread(begun.acquire)
        disconnected.cancel()
        await asyncio.gather(disconnected, return_exceptions=True)
        go_on.set()
        await exposition.read("")

    monkeypatch.setattr("kit.ops.PLAIN", Form("text/plain", encode))
    monkeypatch.setattr("kit.ops.PAUSE_FACTOR", 0)
    asyncio.run(scrape(Exposition()))
    assert overlaps == [False]


def test_a_port_of_its_own() -> None:
    server = serve_ops("127.0.0.1", 0, {"kafka": broken})
    try:
        with urlopen(f"http://127.0.0.1:{server.port}/healthz", timeout=5) as answer:
            assert json.load(answer) == {"status": "ok"}
        with pytest.raises(HTTPError) as refused:
            urlopen(f"http://127.0.0.1:{server.port}/readyz", timeout=5)
        assert refused.value.status == 503
        refused.value.close()
    finally:
        server.stop()
    listening = {each.laddr.port for each in psutil.Process().net_connections("tcp") if each.status == "LISTEN"}
    assert server.port not in listening


def test_a_taken_port_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(Conflict, match=rf"cannot listen on 127\.0\.0\.1:{port} .*in use"):
            serve_ops("127.0.0.1", port, {})
