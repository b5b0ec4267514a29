"""Relays to PostgreSQL: one that can become silent, like a server that is stopped or behind a broken network, and one
that serves one connection at a time, like a pool with one connection."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, closing, suppress

from tests.control_database import PostgreSQL

Relay = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[None, None, None]]


@asynccontextmanager
async def relayed(server: PostgreSQL, silent: asyncio.Event, last: bytes | None = None) -> AsyncIterator[int]:
    """Yields a TCP port that leads to the server. While `silent` is set, connections stay open, and the server gets and
    answers nothing. Sets `silent` when a client sends bytes that contain `last`. The server does not get these."""

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            if last is not None and last in data:
                silent.set()
            if silent.is_set():
                break
            writer.write(data)
        if silent.is_set():
            await asyncio.Event().wait()

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, to_server = await _connected(server)
        try:
            await asyncio.gather(copy(reader, to_server), copy(from_server, writer))
        finally:
            to_server.close()
            writer.close()

    async with _listening(relay) as port:
        yield port


@asynccontextmanager
async def pooled(server: PostgreSQL) -> AsyncIterator[int]:
    """Yields a TCP port that leads to the server. While one connection is open, further ones wait for an answer."""
    is_free = asyncio.Semaphore(1)

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(65_536):
                writer.write(data)
        # The other direction ends too.
        writer.close()

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer):
            async with is_free:
                from_server, to_server = await _connected(server)
                with closing(to_server):
                    await asyncio.gather(copy(reader, to_server), copy(from_server, writer))

    async with _listening(relay) as port:
        yield port


async def _connected(server: PostgreSQL) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_unix_connection(server.folder / f".s.PGSQL.{server.port}")


@asynccontextmanager
async def _listening(relay: Relay) -> AsyncIterator[int]:
    """Yields a TCP port. Runs `relay` for each connection to it, until the block ends."""
    relays = set[asyncio.Task[None]]()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        relays.add(asyncio.create_task(relay(reader, writer)))

    listener = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield listener.sockets[0].getsockname()[1]
    finally:
        listener.close()
        for each in relays:
            each.cancel()
        await asyncio.gather(*relays, return_exceptions=True)
        await listener.wait_closed()
