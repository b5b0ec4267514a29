"""Tests when a server counts as unreachable: early if another replica answers in time, late if all are busy."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from functools import partial

import pytest

from backend.store.replicas import health
from backend.store.replicas.health import FAILURES, FAILURES_ALONE, NodeHealth
from kit.topology import Place

FIRST, SECOND, OTHER_SHARD = Place(0, 0), Place(0, 1), Place(1, 0)


class Servers:
    """Servers that answer, hang, or refuse connections."""

    def __init__(self) -> None:
        self.hanging: set[Place] = set()
        self.refusing: set[Place] = set()
        self.interrupted: list[Place] = []
        self.health = NodeHealth([FIRST, SECOND, OTHER_SHARD], self._probe, FAILURES)

    async def _probe(self, place: Place) -> None:
        if place in self.refusing:
            raise OSError("refused")
        if place in self.hanging:
            await asyncio.Event().wait()

    async def check(self, times: int, *places: Place) -> None:
        for _ in range(times):
            await self.health.check(places)

    def unreachable(self) -> set[Place]:
        return {place for place in self.health.places if self.health.is_unreachable(place)}


def run(use: Callable[[Servers], Awaitable[None]]) -> None:
    async def body() -> None:
        servers = Servers()
        with ExitStack() as watching:
            for place in servers.health.places:
                interrupted = partial(servers.interrupted.append, place)
                watching.enter_context(servers.health.watched([place], interrupted))
            await use(servers)

    asyncio.run(body())


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "PROBE_SECONDS", 0.005)
    monkeypatch.setattr(health, "PROBE_SECONDS_ALONE", 0.005)


def test_a_server_that_hangs_is_unreachable_at_once_when_another_replica_answers() -> None:
    async def use(servers: Servers) -> None:
        servers.hanging = {FIRST}
        await servers.check(1, FIRST, SECOND, OTHER_SHARD)
        assert servers.unreachable() == {FIRST}
        assert servers.interrupted == [FIRST]
        servers.hanging = set()
        await servers.check(1, FIRST)
        assert servers.unreachable() == set()

    run(use)


def test_servers_that_are_all_late_are_unreachable_only_after_a_long_time() -> None:
    async def use(servers: Servers) -> None:
        servers.hanging = {FIRST, SECOND}
        # The first check of a server that answered before probes it twice.
        await servers.check(1, SECOND)
        assert servers.unreachable() == {SECOND}
        await servers.check(FAILURES_ALONE - 2, FIRST)
        assert servers.unreachable() == set()
        await servers.check(1, FIRST)
        assert servers.unreachable() == {FIRST}
        await servers.check(FAILURES_ALONE, SECOND)
        assert servers.unreachable() == {FIRST, SECOND}

    run(use)


def test_a_late_server_is_unreachable_as_soon_as_another_replica_answers_again() -> None:
    async def use(servers: Servers) -> None:
        servers.hanging = {FIRST, SECOND}
        await servers.check(2, FIRST)
        await servers.check(2, SECOND)
        assert servers.unreachable() == set()
        servers.interrupted.clear()
        servers.hanging = {FIRST}
        await servers.check(1, SECOND)
        assert servers.unreachable() == {FIRST}
        assert servers.interrupted == [FIRST]

    run(use)


def test_servers_that_refuse_connections_are_unreachable_at_once() -> None:
    async def use(servers: Servers) -> None:
        servers.refusing = {FIRST, SECOND}
        await servers.check(1, FIRST, SECOND)
        assert servers.unreachable() == {FIRST, SECOND}

    run(use)


def test_the_only_server_of_a_shard_is_unreachable_when_it_hangs() -> None:
    async def use(servers: Servers) -> None:
        servers.hanging = {OTHER_SHARD}
        await servers.check(1, FIRST, SECOND, OTHER_SHARD)
        assert servers.unreachable() == {OTHER_SHARD}
        assert servers.health.hangs(OTHER_SHARD)
        servers.hanging, servers.refusing = set(), {OTHER_SHARD}
        await servers.check(1, OTHER_SHARD)
        assert servers.unreachable() == {OTHER_SHARD}
        assert not servers.health.hangs(OTHER_SHARD)
        servers.refusing = set()
        await servers.check(1, OTHER_SHARD)
        assert servers.unreachable() == set()

    run(use)


def test_statements_end_when_a_server_hangs_that_refused_connections_before() -> None:
    async def use(servers: Servers) -> None:
        servers.refusing = {OTHER_SHARD}
        await servers.check(FAILURES_ALONE, OTHER_SHARD)
        servers.interrupted.clear()
        servers.refusing, servers.hanging = set(), {OTHER_SHARD}
        await servers.check(2, OTHER_SHARD)
        assert servers.interrupted == [OTHER_SHARD]

    run(use)


def test_the_only_server_of_a_shard_may_refuse_some_connections() -> None:
    async def use(servers: Servers) -> None:
        servers.refusing = {OTHER_SHARD}
        # The first check probes the server twice, and so do the next ones until it is unreachable.
        await servers.check(FAILURES_ALONE // 2 - 1, OTHER_SHARD)
        assert servers.unreachable() == set()
        await servers.check(1, OTHER_SHARD)
        assert servers.unreachable() == {OTHER_SHARD}

    run(use)


def test_a_server_of_another_shard_does_not_count() -> None:
    async def use(servers: Servers) -> None:
        servers.hanging = {FIRST, SECOND}
        await servers.check(1, OTHER_SHARD)
        await servers.check(2, FIRST)
        await servers.check(2, SECOND)
        assert servers.unreachable() == set()

    run(use)
