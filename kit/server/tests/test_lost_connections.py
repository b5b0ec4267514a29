"""Tests that an application may answer a client that is gone, before it is the client's turn to be noticed."""

import asyncio
from collections.abc import Callable

import uvloop
from starlette.types import Receive, Scope, Send

from kit.server.config import http_config, limited_http
from kit.server.limits import HttpLimits
from kit.server.tests.serving import serving
from kit.server.turns import Job, Turns

WAIT_SECONDS = 20.0


class HeldTurns(Turns):
    """Turns that hold their jobs once `held` is a list."""

    held: list[Job] | None = None

    def take(self, client: str, job: Job) -> bool:
        if self.held is None:
            return super().take(client, job)
        self.held.append(job)
        return False


async def _answer_late() -> list[str]:
    """Lets an application answer a lost connection, and the server notice the loss after that. Returns the messages
    that the application received, and the errors of its answer."""
    began, lost, ended, found = asyncio.Event(), asyncio.Event(), asyncio.Event(), list[str]()

    async def app(_scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        watching = asyncio.ensure_future(receive())
        began.set()
        await lost.wait()
        await asyncio.sleep(0)  # uvloop closes its handle after it has told the protocol
        try:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"late"})
        except RuntimeError as error:
            found.append(str(error))
        for job in turns.held or ():
            job()
        found.append((await watching)["type"])
        ended.set()

    class Noting(limited_http(HttpLimits())):  # type: ignore[misc]  # a base class that is made here
        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            lost.set()

    turns = Noting.turns = HeldTurns()
    config = http_config(app, HttpLimits(), 1)
    config.http = Noting
    async with serving(config) as address, asyncio.timeout(WAIT_SECONDS):
        _, writer = await asyncio.open_connection(*address)
        writer.write(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n")
        await began.wait()
        turns.held = []
        writer.close()
        await ended.wait()
        turns.held = None
    return found


def test_an_answer_to_a_lost_connection_is_no_error() -> None:
    run: Callable[..., list[str]] = uvloop.run
    assert run(_answer_late()) == ["http.disconnect"]
