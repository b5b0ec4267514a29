"""The HTTP answer that a tail is: a stream whose client may stop reading at any time."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Final

from starlette.responses import StreamingResponse
from starlette.types import Send

SEND_SECONDS: Final = 10.0
"""How long a client may leave what was sent unread before its connection is closed."""


class TailResponse(StreamingResponse):
    """Server-Sent Events that no proxy holds back."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[bytes]) -> None:
        super().__init__(events, headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        self._events = events

    async def stream_response(self, send: Send) -> None:
        """Ends the events however it ends: a generator that is only dropped would keep its place in the limits."""
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            async for text in self._events:
                async with asyncio.timeout(SEND_SECONDS):
                    await send({"type": "http.response.body", "body": text, "more_body": True})
            async with asyncio.timeout(SEND_SECONDS):
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        except TimeoutError as stuck:
            raise OSError("the client of a tail does not read") from stuck
        finally:
            await self._events.aclose()
