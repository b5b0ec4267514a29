"""Tests that shards are connected to separately, so that a shard that hangs delays only its own callers."""

import asyncio

import pytest
from clickhouse_connect.driver.exceptions import OperationalError

from backend.store import connections
from backend.store.connections import Connections
from kit.clickhouse_statements import StatementClient
from kit.errors import Unavailable
from kit.topology import Place


class Client(StatementClient):
    """A client without a connection."""

    def __init__(self) -> None:
        self.is_closed = False
        self.refreshed = asyncio.Event()
        self.failure: Exception | None = None

    async def refresh_settings(self) -> None:
        self.refreshed.set()
        if self.failure is not None:
            raise self.failure

    async def close(self) -> None:
        self.is_closed = True


HANGING, FIRST = Place(1, 0), Place(0, 0)


async def connect(place: Place) -> StatementClient:
    if place == HANGING:
        await asyncio.Event().wait()
    return Client()


def test_a_shard_that_hangs_while_connecting_delays_no_other() -> None:
    async def use() -> None:
        made = Connections(connect)
        waiting = asyncio.create_task(made.of(HANGING))
        await asyncio.sleep(0)
        async with asyncio.timeout(30):
            assert await made.of(FIRST) is await made.of(FIRST)
        assert not waiting.done()
        waiting.cancel()
        await made.close()

    asyncio.run(use())


def test_an_attempt_that_takes_too_long_is_unavailable_to_all_who_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "CONNECT_SECONDS", 0.05)

    async def use() -> list[StatementClient | BaseException]:
        made = Connections(connect)
        return list(await asyncio.gather(made.of(HANGING), made.of(HANGING), return_exceptions=True))

    first, second = asyncio.run(use())
    assert isinstance(first, Unavailable)
    assert "shard 1" in first.detail
    assert second is first


def test_a_caller_that_is_cancelled_leaves_the_attempt_to_the_others() -> None:
    async def use() -> None:
        let = asyncio.Event()
        attempts = 0

        async def slowly(_: Place) -> StatementClient:
            nonlocal attempts
            attempts += 1
            await let.wait()
            return Client()

        made = Connections(slowly)
        first, second = asyncio.create_task(made.of(FIRST)), asyncio.create_task(made.of(FIRST))
        await asyncio.sleep(0)
        first.cancel()
        let.set()
        client = await second
        assert attempts == 1
        await made.close()
        assert isinstance(client, Client)
        assert client.is_closed

    asyncio.run(use())


@pytest.mark.parametrize("failure", [None, OperationalError("gone"), OSError("refused")])
def test_settings_are_refreshed_while_a_client_is_used(
    monkeypatch: pytest.MonkeyPatch, failure: Exception | None
) -> None:
    monkeypatch.setattr(connections, "REFRESH_SECONDS", 0.0)

    async def use() -> None:
        made = Connections(connect)
        client = await made.of(FIRST)
        assert isinstance(client, Client)
        client.failure = failure
        for _ in range(2):
            client.refreshed.clear()
            async with asyncio.timeout(30):
                assert await made.of(FIRST) is client
                await client.refreshed.wait()
        await made.close()

    asyncio.run(use())


def test_settings_are_not_refreshed_soon_after_they_were_read() -> None:
    async def use() -> bool:
        made = Connections(connect)
        client = await made.of(FIRST)
        await made.of(FIRST)
        assert isinstance(client, Client)
        await made.close()
        return client.refreshed.is_set()

    assert not asyncio.run(use())
