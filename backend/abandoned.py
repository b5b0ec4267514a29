"""Stops answering a request whose client went away, so that it gives up its turn and its query in ClickHouse."""

import asyncio
from contextlib import suppress

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class CancelAbandoned:
    """ASGI middleware for requests without a body: watches the connection, which Starlette does for streams only."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        gone = asyncio.Event()
        messages: list[Message] = [{"type": "http.request", "body": b"", "more_body": False}]

        async def received() -> Message:
            if messages:
                return messages.pop()
            await gone.wait()
            return {"type": "http.disconnect"}

        async def watch() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            gone.set()

        answering = asyncio.ensure_future(self._app(scope, received, send))
        watching = asyncio.create_task(watch())
        try:
            await asyncio.wait((answering, watching), return_when=asyncio.FIRST_COMPLETED)
            if answering.done():
                answering.result()
        finally:
            await _cancelled(watching)
            await _cancelled(answering)


async def _cancelled(task: "asyncio.Future[None]") -> None:
    if not task.done():
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
