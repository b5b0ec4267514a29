"""Tests that each request has one line, with its tenant and without its query text or key."""

import asyncio
from contextlib import suppress

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.testing import capture_logs

from kit.access_log import Access, AccessLog, answered, identified, logged, received
from kit.clock import ManualClock


def exchange(app: ASGIApp, clock: ManualClock, path: str = "/logs/17") -> None:
    """Sends one request whose query and key must not be logged."""
    messages: list[Message] = [
        {"type": "http.request", "body": b"12345", "more_body": True},
        {"type": "http.request", "body": b"678", "more_body": False},
    ]

    async def receive() -> Message:
        return messages.pop(0)

    async def send(_: Message) -> None:
        """Discards the answer."""

    requested = {
        "type": "http",
        "method": "POST",
        "path": path,
        "query_string": b"query=password",
        "headers": [(b"authorization", b"Bearer ls_query_secret")],
    }
    asyncio.run(AccessLog(app, clock, lambda scope: scope.get("route"))(requested, receive, send))


def test_a_line_has_client_request_and_answer() -> None:
    clock = ManualClock()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        # Runs in another task and on another thread, as FastAPI does for functions that are not async.
        await asyncio.create_task(asyncio.to_thread(identified, "acme", "k1"))
        await receive()
        await receive()
        scope["route"] = "/logs/{id}"
        clock.advance(0.25)
        await send({"type": "http.response.start", "status": 413, "headers": []})
        await send({"type": "http.response.body", "body": b"ab", "more_body": True})
        await send({"type": "http.response.body", "body": b"c"})

    with capture_logs() as lines:
        exchange(app, clock)
    (line,) = lines
    assert line == {
        "event": "request",
        "log_level": "info",
        "tenant": "acme",
        "key": "k1",
        "method": "POST",
        "route": "/logs/{id}",
        "status": 413,
        "bytes_in": 8,
        "bytes_out": 3,
        "ms": 250.0,
    }


def test_a_request_that_fails_or_has_no_key_has_a_line_too() -> None:
    async def app(_scope: Scope, _receive: Receive, _send: Send) -> None:
        raise ConnectionError

    with capture_logs() as lines, suppress(ConnectionError):
        exchange(app, ManualClock())
    assert [(line["tenant"], line["key"], line["status"], line["route"]) for line in lines] == [(None,) * 4]


def test_probes_have_no_line() -> None:
    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    with capture_logs() as lines:
        exchange(app, ManualClock(), "/readyz")
    assert lines == []


def test_a_server_that_is_not_asgi_notes_bytes_and_code_itself() -> None:
    with capture_logs() as lines, logged(Access("POST", route="/Logs/Export"), ManualClock()):
        identified("acme", "k1")
        received(4)
        answered("OK", 2)
    assert [(line["tenant"], line["status"], line["bytes_in"], line["bytes_out"]) for line in lines] == [
        ("acme", "OK", 4, 2)
    ]
    identified("other", "k2")
    received(1)
