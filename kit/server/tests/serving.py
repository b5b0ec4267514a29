"""Serves an application over real connections."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn

from kit.server.accepting_server import AcceptingServer


@asynccontextmanager
async def serving(config: uvicorn.Config, listening: socket.socket | None = None) -> AsyncIterator[tuple[str, int]]:
    """Yields the host and port of a server with this configuration, on `listening` or else a new socket. At the end of
    the block, stops the server and waits for the end of its requests."""
    listening = listening or socket.create_server(("127.0.0.1", 0))
    server = AcceptingServer(config)
    task = asyncio.create_task(server.serve([listening]))
    try:
        host, port = listening.getsockname()
        yield host, port
    finally:
        server.should_exit = True
        await task
