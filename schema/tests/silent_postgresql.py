"""A relay to PostgreSQL that can become silent, like a server that is stopped or behind a broken network."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.control_database import PostgreSQL


@asynccontextmanager
async def relayed(server: PostgreSQL, silent: asyncio.Event, last: bytes | None = None) -> AsyncIterator[int]:
    """Yields a TCP port that leads to the server. While `silent` is set, connections stay open, and the server gets and
    answers nothing. Sets `silent` when a client sends bytes that contain `last`. The server does not get these."""
    relays = set[asyncio.Task[None]]()

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
        from_server, to_server = await asyncio.open_unix_connection(server.folder / f".s.PGSQL.{server.port}")
        try:
            await asyncio.gather(copy(reader, to_server), copy(from_server, writer))
        finally:
            to_server.close()
            writer.close()

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
