"""Sends answers in pieces, and closes the connection of a client that stops reading.

Closing frees the answer's memory and its place in the limits.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from typing import Final

from starlette.responses import StreamingResponse
from starlette.types import Send

SEND_SECONDS: Final = 10.0
"""Longest time, in seconds, that a client may leave a piece of an answer unread before the answer ends. The server
then closes the connection within kit.server.protocol.DRAIN_SECONDS."""


class PacedResponse(StreamingResponse):
    """Sends each piece within SEND_SECONDS or fails, and closes the generator of the pieces however the answer ends."""

    def __init__(
        self, pieces: AsyncGenerator[bytes], media_type: str | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(pieces, media_type=media_type, headers=headers)
        self._pieces = pieces

    async def stream_response(self, send: Send) -> None:
        """Sends the pieces, then closes their generator, which frees its place in the limits."""
        try:
            async with asyncio.timeout(SEND_SECONDS):  # an earlier answer of the connection may be unread
                await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            async for piece in self._pieces:
                async with asyncio.timeout(SEND_SECONDS):
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
            async with asyncio.timeout(SEND_SECONDS):
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        except TimeoutError as stuck:
            raise OSError("the client does not read its answer") from stuck
        finally:
            await self._pieces.aclose()
