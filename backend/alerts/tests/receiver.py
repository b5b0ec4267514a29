"""A webhook receiver on loopback."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from backend.alerts.sender import NOTICE_HEADER


class Receiver:
    """A webhook receiver. `statuses` are the statuses of its next answers; all answers after them are 200."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str | None, Any]] = []
        self.statuses: list[int] = []
        self.url = ""

    async def _take(self, request: web.Request) -> web.Response:
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
