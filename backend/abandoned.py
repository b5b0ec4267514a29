"""Cancels a request whose client has disconnected, which frees its place in the queue and stops its ClickHouse
query."""

import asyncio
from contextlib import suppress

from starlette.types import ASGIApp, Message, Receive, Scope, Send

READS = "/api/v1/logs"
"""Path prefix below which POST requests only read: their body is a query."""


class CancelAbandoned:
    """ASGI middleware that cancels GET requests, and POST requests below READS, when their client has disconnected.

    Starlette itself notices a disconnected client only while it sends a stream.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _only_reads(scope):
            await self._app(scope, receive, send)
            return
        # `disconnected`: the client has disconnected. `complete`: the whole request body was received.
        disconnected, complete = asyncio.Event(), asyncio.Event()
        messages: list[Message] = []
        if scope["method"] == "GET":
            messages.append({"type": "http.request", "body": b"", "more_body": False})
            complete.set()

        async def received() -> Message:
            if messages:
                return messages.pop()
            if not complete.is_set():
                message = await receive()
                if message["type"] == "http.disconnect":
                    disconnected.set()
                if not message.get("more_body", False):
                    complete.set()
                return message
            await disconnected.wait()
            return {"type": "http.disconnect"}

        async def watch() -> None:
            await complete.wait()
            while not disconnected.is_set() and (await receive())["type"] != "http.disconnect":
                pass
            disconnected.set()

        answering = asyncio.ensure_future(self._app(scope, received, send))
        watching = asyncio.create_task(watch())
        try:
            await asyncio.wait((answering, watching), return_when=asyncio.FIRST_COMPLETED)
            if answering.done():
                answering.result()
        finally:
            await _cancelled(watching)
            await _cancelled(answering)


def _only_reads(scope: Scope) -> bool:
    return scope["method"] == "GET" or (scope["method"] == "POST" and str(scope["path"]).startswith(READS))


async def _cancelled(task: "asyncio.Future[None]") -> None:
    if not task.done():
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
