"""Sends answers in pieces, and closes the connection of a client that stops reading.

Closing frees the answer's memory and its place in the limits.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from typing import Final

from starlette.responses import StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from kit.server.connections import connection_of

SEND_SECONDS: Final = 10.0
"""Longest time, in seconds, that a client may leave a piece of an answer unread before the connection is closed."""


class Unread(OSError):
    """The client does not read its answer."""


class PacedResponse(StreamingResponse):
    """Sends each piece within SEND_SECONDS or fails, and closes the generator of the pieces however the answer ends."""

    def __init__(
        self,
        pieces: AsyncGenerator[bytes],
        media_type: str | None = None,
        headers: Mapping[str, str] | None = None,
        seconds: float | None = None,
    ) -> None:
        """`seconds` replaces SEND_SECONDS for an answer with larger pieces."""
        super().__init__(pieces, media_type=media_type, headers=headers)
        self._pieces = pieces
        self._seconds = SEND_SECONDS if seconds is None else seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the pieces. Closes the connection if the client does not read them.

        Does not notice when the client disconnects: CancelAbandoned (backend/abandoned.py) cancels the request then.
        Raises Unread if the server cannot close the connection.
        """
        try:
            await self.stream_response(send)
        except Unread:
            connection = connection_of(scope)
            if connection is None:
                raise
            connection.drop_unread()
            # uvicorn logs an error if an answer ends too early while the connection is open.
            while (await receive())["type"] != "http.disconnect":
                pass

    async def stream_response(self, send: Send) -> None:
        """Sends the pieces, then closes their generator, which frees its place in the limits. Raises Unread."""
        try:
            await self._send(
                send, {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
            )
            async for piece in self._pieces:
                await self._send(send, {"type": "http.response.body", "body": piece, "more_body": True})
            await self._send(send, {"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            await self._pieces.aclose()

    async def _send(self, send: Send, message: Message) -> None:
        try:
            async with asyncio.timeout(self._seconds):  # an earlier answer of the connection may be unread
                await send(message)
        except TimeoutError as error:
            raise Unread("the client does not read its answer") from error
