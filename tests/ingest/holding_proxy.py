"""A TCP proxy in front of ClickHouse that holds statements back until a test releases them."""

import asyncio
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self

_CHUNK = 64 * 1024


class HoldingProxy:
    """Runs in a separate thread between `enter` and `exit`. Holds requests whose URL contains `marker`."""

    def __init__(self, target: tuple[str, int], marker: bytes) -> None:
        self._target = target
        self._marker = marker
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="holding-proxy", daemon=True)
        self._released = asyncio.Event()
        self._server: asyncio.Server | None = None
        self.held = 0

    def __enter__(self) -> Self:
        self._thread.start()
        started = asyncio.run_coroutine_threadsafe(asyncio.start_server(self._serve, "127.0.0.1", 0), self._loop)
        self._server = started.result(timeout=30)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(timeout=30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def url(self) -> str:
        """URL that clients connect to."""
        assert self._server is not None
        host, port = self._server.sockets[0].getsockname()
        return f"http://{host}:{port}"

    def release(self) -> None:
        """Releases held requests, and holds no further ones."""
        self._loop.call_soon_threadsafe(self._released.set)

    async def _close(self) -> None:
        assert self._server is not None
        self._server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            upstream, server = await asyncio.open_connection(*self._target)
            try:
                await asyncio.gather(self._forward(reader, server), self._answer(upstream, writer))
            finally:
                server.close()
        writer.close()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while chunk := await reader.read(_CHUNK):
            if self._marker in chunk and not self._released.is_set():
                self.held += 1
                await self._released.wait()
            writer.write(chunk)
            await writer.drain()
        writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while chunk := await reader.read(_CHUNK):
            writer.write(chunk)
            await writer.drain()
        writer.close()
