"""A webhook receiver on loopback."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from backend.alerts.sender import NOTICE_HEADER


class Receiver:
    """A webhook receiver. `statuses` are its next answers; 200 when there are none left.

    `asked` is set by the first request. Requests are answered while `answers` is set, as it is at first.
    """

    def __init__(self) -> None:
        self.requests: list[tuple[str, str | None, Any]] = []
        self.statuses: list[int] = []
        self.url = ""
        self.asked, self.answers = asyncio.Event(), asyncio.Event()
        self.answers.set()

    async def _take(self, request: web.Request) -> web.Response:
        self.asked.set()
        await self.answers.wait()
        body = await request.json()
        self.requests.append((request.headers[NOTICE_HEADER], request.headers.get("X-Token"), body))
        status = self.statuses.pop(0) if self.statuses else 200
        return web.Response(status=status, headers={"Location": f"{self.url}/other"} if status == 302 else {})

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        application = web.Application()
        application.router.add_post("/{path:.*}", self._take)
        runner = web.AppRunner(application)
        await runner.setup()
        listener = socket.create_server(("127.0.0.1", 0))
        await web.SockSite(runner, listener).start()
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        try:
            yield
        finally:
            await runner.cleanup()
