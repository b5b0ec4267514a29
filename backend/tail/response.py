"""The HTTP answer of a tail."""

from collections.abc import AsyncGenerator

from backend.paced_response import PacedResponse


class TailResponse(PacedResponse):
    """An answer of Server-Sent Events, with headers that keep proxies from buffering it."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[bytes]) -> None:
        super().__init__(events, headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
