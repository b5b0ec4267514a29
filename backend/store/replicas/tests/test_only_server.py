"""Tests searches of an installation with one server: they fail soon while it hangs, and not because it is slow."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import pytest
from clickhouse_connect.driver.exceptions import DatabaseError

from backend.store import connections, execute
from backend.store.execute import ANSWERS, Executor, ServerUnreachable
from backend.store.replicas import health, watched
from backend.store.replicas.health import FAILURES_ALONE
from backend.store.replicas.shown import Shown
from backend.store.replicas.watched import WatchedReplicas, running
from kit.clickhouse_statements import ServerAnswer, StatementClient
from kit.clock import SystemClock
from kit.errors import RateLimited, Unavailable
from kit.settings import Settings

PROBES: Final = 3 * FAILURES_ALONE
"""Number of probes within which a server that does not answer them counts as unreachable."""

TOO_MANY_QUERIES: Final = 202
UNKNOWN_TABLE: Final = 60
"""Error codes of ClickHouse."""


class Server(StatementClient):
    """A server that answers or hangs. Its probes fail with `refusal` if there is one. Its searches wait until
    `may_end` is set."""

    def __init__(self) -> None:
        self.server_settings = {}
        self.answers, self.may_end = asyncio.Event(), asyncio.Event()
        self.answers.set()
        self.may_end.set()
        self.refusal: int | None = None
        self.is_searched = asyncio.Event()
        self.probes = 0

    async def query(self, sql: str, *_: object, **_named: object) -> ServerAnswer:
        await self.answers.wait()
        if sql == ANSWERS.sql:
            self.is_searched.set()
            await self.may_end.wait()
            return ServerAnswer([[1]], {}, "")
        self.probes += 1
        if self.refusal is not None:
            raise DatabaseError("refused", code=self.refusal)
        return ServerAnswer([], {}, "")

    async def probed(self, times: int) -> None:
        """Returns when the server has answered or refused that many further probes."""
        until = self.probes + times
        while self.probes < until:
            await asyncio.sleep(0.001)

    async def close(self) -> None:
        pass


def run(monkeypatch: pytest.MonkeyPatch, use: Callable[[Server, Executor], Awaitable[None]]) -> None:
    async def body() -> None:
        server = Server()

        async def connected(*_: object) -> StatementClient:
            return server

        for module in (execute, watched):
            monkeypatch.setattr(module, "connect_async", connected)
        settings = Settings()
        replicas = WatchedReplicas(settings, SystemClock())
        async with asyncio.timeout(settings.query_max_seconds / 2), running(replicas):
            await use(server, Executor(settings, replicas=replicas))

    monkeypatch.setattr(health, "PAUSE_SECONDS_ALONE", 0.001)
    asyncio.run(body())


def test_searches_fail_soon_while_the_server_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "PROBE_SECONDS_ALONE", 0.05)

    async def use(server: Server, executor: Executor) -> None:
        server.answers.clear()
        with pytest.raises(ServerUnreachable, match="did not answer"):
            await executor.run(ANSWERS)
        with pytest.raises(Unavailable, match="does not answer"):
            await executor.run(ANSWERS)
        server.answers.set()
        await server.probed(1)
        while True:
            try:
                assert (await executor.run(ANSWERS)).rows == [1]
                break
            except Unavailable:
                await asyncio.sleep(0.001)

    run(monkeypatch, use)


def test_searches_fail_at_once_if_the_server_hung_already_when_the_process_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connections, "CONNECT_SECONDS", 0.01)

    async def never(*_: object) -> StatementClient:
        return await asyncio.Event().wait()  # type: ignore[return-value]  # It does not return.

    async def use(_: Server, executor: Executor) -> None:
        monkeypatch.setattr(watched, "connect_async", never)

        async def search_until_it_fails() -> None:
            while True:
                await executor.run(ANSWERS)
                await asyncio.sleep(0.001)

        with pytest.raises(Unavailable, match="does not answer"):
            await search_until_it_fails()

    run(monkeypatch, use)


def test_a_slow_search_goes_on_while_the_server_answers_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    async def use(server: Server, executor: Executor) -> None:
        server.may_end.clear()
        search = asyncio.create_task(executor.run(ANSWERS))
        await server.is_searched.wait()
        await server.probed(PROBES)
        assert not search.done()
        server.may_end.set()
        assert (await search).rows == [1]

    run(monkeypatch, use)


def test_a_search_goes_on_while_the_server_is_too_busy_for_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    async def use(server: Server, executor: Executor) -> None:
        server.refusal = TOO_MANY_QUERIES
        server.may_end.clear()
        search = asyncio.create_task(executor.run(ANSWERS))
        await server.probed(PROBES)
        assert not search.done()
        server.may_end.set()
        assert (await search).rows == [1]

    run(monkeypatch, use)


def test_a_search_goes_on_while_the_server_is_too_busy_for_the_connection_of_the_probes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refused = 0

    async def refuse(*_: object) -> StatementClient:
        nonlocal refused
        refused += 1
        raise RateLimited("too many queries") from DatabaseError("refused", code=TOO_MANY_QUERIES)

    async def use(server: Server, executor: Executor) -> None:
        server.may_end.clear()
        monkeypatch.setattr(watched, "connect_async", refuse)
        search = asyncio.create_task(executor.run(ANSWERS))
        while refused < PROBES:
            await asyncio.sleep(0.001)
        assert not search.done()
        server.may_end.set()
        assert (await search).rows == [1]

    run(monkeypatch, use)


def test_a_page_of_an_earlier_replica_is_continued_without_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests a cursor from before the number of replicas was reduced to one."""

    async def use(_: Server, executor: Executor) -> None:
        await executor.wait_for((0,), Shown((1,), (5,)))

    run(monkeypatch, use)


def test_a_server_that_refuses_probes_says_itself_why_it_cannot_be_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    async def use(server: Server, executor: Executor) -> None:
        server.refusal = UNKNOWN_TABLE
        await server.probed(PROBES)
        assert (await executor.run(ANSWERS)).rows == [1]

    run(monkeypatch, use)
