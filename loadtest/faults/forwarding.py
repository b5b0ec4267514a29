"""A TCP proxy that runs in a thread. Subclasses decide what happens to the bytes that clients send."""

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Self, TypeVar

Result = TypeVar("Result")

_CHUNK: Final = 64 * 1024
_RUN_SECONDS: Final = 30


@dataclass(frozen=True, eq=False, slots=True)
class Connection:
    """A client's connection to the proxy, and the proxy's connection to the target. Both are reset together."""

    client: asyncio.StreamWriter
    target: asyncio.StreamWriter

    def reset(self) -> None:
        self.client.transport.abort()
        self.target.transport.abort()


class ForwardingProxy:
    """Context manager that forwards connections to `target` (host, port). Its end resets all open connections."""

    def __init__(self, target: tuple[str, int]) -> None:
        self._target = target
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy", daemon=True)
        self._server: asyncio.Server | None = None
        self._closing = False
        self.connections: set[Connection] = set()

    def __enter__(self) -> Self:
        self._thread.start()
        self._server = self.run(asyncio.start_server(self._serve, "127.0.0.1", 0))
        return self

    def __exit__(self, *_: object) -> None:
        self.run(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def address(self) -> tuple[str, int]:
        """Host and port that clients connect to."""
        assert self._server is not None
        host, port = self._server.sockets[0].getsockname()
        return host, port

    async def forward(self, chunk: bytes, connection: Connection) -> None:
        """Sends bytes of a client to the target. Subclasses may delay this, or raise OSError to end the connection."""
        connection.target.write(chunk)
        await connection.target.drain()

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Runs a coroutine in the proxy's thread. Returns its result; raises TimeoutError after 30 s."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=_RUN_SECONDS)

    async def _close(self) -> None:
        assert self._server is not None
        self._closing = True
        self._server.close()
        for connection in self.connections:
            connection.reset()
        # Tasks are not cancelled, because a task that is cancelled before it starts would leave its connection open.
        # Each task ends when the connection that it reads has ended.
        while tasks := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        try:
            answers, target = await asyncio.open_connection(*self._target)
        except OSError:
            client.transport.abort()
            return
        connection = Connection(client, target)
        self.connections.add(connection)
        try:
            with suppress(OSError):
                if not self._closing:
                    await asyncio.gather(self._send(reader, connection), self._answer(answers, client))
        finally:
            connection.reset()
            self.connections.discard(connection)

    async def _send(self, reader: asyncio.StreamReader, connection: Connection) -> None:
        while chunk := await reader.read(_CHUNK):
            await self.forward(chunk, connection)
        raise ConnectionResetError

    async def _answer(self, reader: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        while chunk := await reader.read(_CHUNK):
            client.write(chunk)
            await client.drain()
        raise ConnectionResetError
