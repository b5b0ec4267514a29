"""A TCP proxy between clients and the receiver that breaks connections on demand."""

import asyncio
import random
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Final, Self, TypeVar

Result = TypeVar("Result")

_CHUNK: Final = 64 * 1024
_CLOSE_SECONDS: Final = 5


class _Connection:
    """A client's connection and the one to the receiver; both end together, by reset."""

    def __init__(self, client: asyncio.StreamWriter, server: asyncio.StreamWriter) -> None:
        self._writers = (client, server)
        self.doomed = False

    def reset(self) -> None:
        for writer in self._writers:
            writer.transport.abort()


class CuttingProxy:
    """Cuts connections on demand. Runs in a separate thread between `enter` and `exit`."""

    def __init__(self, target: tuple[str, int]) -> None:
        self._target = target
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy", daemon=True)
        self._connections: set[_Connection] = set()
        self._server: asyncio.Server | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        self._server = self._run(asyncio.start_server(self._serve, "127.0.0.1", 0))
        return self

    def __exit__(self, *_: object) -> None:
        self._run(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def address(self) -> tuple[str, int]:
        """Address that clients connect to."""
        assert self._server is not None
        host, port = self._server.sockets[0].getsockname()
        return host, port

    def cut(self, rng: random.Random) -> int:
        """Resets about half of all connections now, and the others in the middle of what they send next."""
        return self._run(self._cut(rng))

    async def _cut(self, rng: random.Random) -> int:
        connections = list(self._connections)
        for connection in connections:
            if rng.random() < 0.5:
                connection.reset()
            else:
                connection.doomed = True
        return len(connections)

    async def _close(self) -> None:
        assert self._server is not None
        self._server.close()
        for connection in list(self._connections):
            connection.reset()
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_SECONDS):
                await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}), return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            upstream, server = await asyncio.open_connection(*self._target)
        except OSError:
            writer.transport.abort()
            return
        connection = _Connection(writer, server)
        self._connections.add(connection)
        try:
            await asyncio.gather(self._forward(reader, server, connection), self._answer(upstream, writer))
        except OSError:
            pass
        finally:
            connection.reset()
            self._connections.discard(connection)

    async def _forward(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, connection: _Connection
    ) -> None:
        while chunk := await reader.read(_CHUNK):
            if connection.doomed:
                writer.write(chunk[: len(chunk) // 2])
                with suppress(OSError):
                    await writer.drain()
                raise ConnectionResetError
            writer.write(chunk)
            await writer.drain()
        raise ConnectionResetError

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while chunk := await reader.read(_CHUNK):
            writer.write(chunk)
            await writer.drain()
        raise ConnectionResetError

    def _run(self, work: Coroutine[Any, Any, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=10)
