"""The HTTP answer that a tail is."""

from collections.abc import AsyncGenerator

from backend.paced_response import PacedResponse


class TailResponse(PacedResponse):
    """Server-Sent Events that no proxy holds back."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[bytes]) -> None:
        super().__init__(events, headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
