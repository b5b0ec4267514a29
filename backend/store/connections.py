"""Connections to the servers, made on first use, so that a server that hangs delays only its own statements."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from kit.clickhouse_statements import StatementClient
from kit.errors import Unavailable
from kit.topology import Place

CONNECT_SECONDS: Final = 10.0
"""Longest time to connect to a server and to read its settings, in seconds."""


class Connections:
    """One client for each server. Use it from one event loop only.

    The backend can therefore start, and report the problem, while ClickHouse is unreachable.
    """

    def __init__(self, connect: Callable[[Place], Awaitable[StatementClient]]) -> None:
        """`connect` makes the client of a server."""
        self._connect = connect
        self._clients: dict[Place, StatementClient] = {}
        self._connecting: dict[Place, asyncio.Task[StatementClient]] = {}

    async def of(self, place: Place) -> StatementClient:
        """Returns the server's client. Raises Unavailable after CONNECT_SECONDS, and what `connect` raises.

        Concurrent callers wait for the same attempt. A caller that is cancelled does not end the attempt.
        """
        if place in self._clients:
            return self._clients[place]
        attempt = self._connecting.get(place)
        if attempt is None:
            attempt = self._connecting[place] = asyncio.create_task(self._attempt(place), name=f"connect-{place}")
            attempt.add_done_callback(_retrieved)
        return await asyncio.shield(attempt)

    async def close(self) -> None:
        """Cancels attempts to connect and closes the clients."""
        for attempt in self._connecting.values():
            attempt.cancel()
        for client in self._clients.values():
            await client.close()

    async def _attempt(self, place: Place) -> StatementClient:
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                client = self._clients[place] = await self._connect(place)
            return client
        except TimeoutError as error:
            server = f"shard {place.shard}, replica {place.replica}"
            raise Unavailable(
                f"ClickHouse ({server}) did not answer within {CONNECT_SECONDS:g} s."
                " Searches work again when it is back; sent logs are safe in Kafka.",
                retry_after=2,
            ) from error
        finally:
            del self._connecting[place]


def _retrieved(attempt: asyncio.Task[StatementClient]) -> None:
    """Reads the attempt's exception, because asyncio logs it otherwise when every caller was cancelled."""
    if not attempt.cancelled():
        attempt.exception()
