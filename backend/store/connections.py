"""Connections to the servers, made on first use, so that a server that hangs delays only its own statements."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

import aiohttp
from clickhouse_connect.driver.exceptions import Error

from kit.clickhouse_statements import StatementClient
from kit.errors import Unavailable
from kit.topology import Place

CONNECT_SECONDS: Final = 10.0
"""Longest time to connect to a server and to read its settings, in seconds."""
REFRESH_SECONDS: Final = 60.0
"""Shortest time, in seconds, between two checks of whether the server of a client was started again. It may have
another version then, with other settings."""


class Connections:
    """One client for each server. Use it from one event loop only.

    The backend can therefore start, and report the problem, while ClickHouse is unreachable.
    """

    def __init__(self, connect: Callable[[Place], Awaitable[StatementClient]]) -> None:
        """`connect` makes the client of a server."""
        self._connect = connect
        self._clients: dict[Place, StatementClient] = {}
        self._connecting: dict[Place, asyncio.Task[StatementClient]] = {}
        self._refresh_at: dict[Place, float] = {}
        """Second of the event loop's clock from which the settings of a server may have to be read again."""
        self._refreshing = set[asyncio.Task[None]]()

    async def of(self, place: Place) -> StatementClient:
        """Returns the server's client. Raises Unavailable after CONNECT_SECONDS, and what `connect` raises.

        Concurrent callers wait for the same attempt. A caller that is cancelled does not end the attempt.
        """
        if place in self._clients:
            self._refresh_if_due(place)
            return self._clients[place]
        attempt = self._connecting.get(place)
        if attempt is None:
            attempt = self._connecting[place] = asyncio.create_task(self._attempt(place), name=f"connect-{place}")
            attempt.add_done_callback(_retrieved)
        return await asyncio.shield(attempt)

    async def close(self) -> None:
        """Cancels attempts to connect and closes the clients."""
        for task in (*self._connecting.values(), *self._refreshing):
            task.cancel()
        for client in self._clients.values():
            await client.close()

    async def _attempt(self, place: Place) -> StatementClient:
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                client = await self._connect(place)
            self._refresh_at[place] = asyncio.get_running_loop().time() + REFRESH_SECONDS
            self._clients[place] = client
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

    def _refresh_if_due(self, place: Place) -> None:
        """Starts a task that refreshes the settings of the server's client, unless one was started a short time ago."""
        now = asyncio.get_running_loop().time()
        if now < self._refresh_at[place]:
            return
        self._refresh_at[place] = now + REFRESH_SECONDS
        task = asyncio.create_task(_refresh(self._clients[place]), name=f"refresh-settings-{place}")
        self._refreshing.add(task)
        task.add_done_callback(self._refreshing.discard)


async def _refresh(client: StatementClient) -> None:
    # After an error, the settings that are known stay in use until the next refresh.
    with suppress(Error, aiohttp.ClientError, OSError):
        async with asyncio.timeout(CONNECT_SECONDS):
            await client.refresh_settings()


def _retrieved(attempt: asyncio.Task[StatementClient]) -> None:
    """Reads the attempt's exception, because asyncio logs it otherwise when every caller was cancelled."""
    if not attempt.cancelled():
        attempt.exception()
