"""Answers requests that a shutdown interrupts."""

import asyncio
from typing import Final

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

RETRY_SECONDS: Final = 5
"""Seconds after which the client of an interrupted request is to send it again."""

_TEXT: Final = "the server stopped before it had an answer; send the request again\n"


class AnswerInterrupted:
    """Answers 503 to requests that are cancelled before their answer has started.

    uvicorn cancels requests that take longer than a graceful shutdown, and would answer 500, after which OTLP senders
    drop their records.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_started = False

        async def noting(message: Message) -> None:
            nonlocal has_started
            has_started = True
            await send(message)

        try:
            await self._app(scope, receive, noting)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            # The application may also have waited for something else that was cancelled, which is an error in it.
            if has_started or task is None or not task.cancelling():
                raise
            headers = {"retry-after": str(RETRY_SECONDS), "connection": "close"}
            await PlainTextResponse(_TEXT, 503, headers)(scope, receive, send)
