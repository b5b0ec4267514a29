"""The HTTP answer of a tail."""

from collections.abc import AsyncGenerator, Callable

from starlette.types import Receive, Scope, Send

from backend.answers.paced_response import PacedResponse


class TailResponse(PacedResponse):
    """An answer of Server-Sent Events, with headers that keep proxies from buffering it."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[bytes], forget: Callable[[], None]) -> None:
        """`forget` frees the tail's place. It may be called more than once."""
        super().__init__(events, headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        self._forget = forget

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the events until one side ends them."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            # If the client left before the first event, the generator has not begun, and its end does not run.
            self._forget()
