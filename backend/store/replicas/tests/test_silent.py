"""Tests what a server that stopped answering can have shown: what loaders had announced before, and nothing later."""

import asyncio

import pytest

from backend.store.replicas.tests.cluster import Cluster, run
from kit.errors import Unavailable
from kit.topology import Place

pytestmark = pytest.mark.usefixtures("quick_catch_up")


@pytest.mark.parametrize("by_itself", [True, False])
def test_messages_that_arrive_after_a_server_stopped_answering_are_not_waited_for(by_itself: bool) -> None:
    async def use(cluster: Cluster) -> None:
        await cluster.choice.choose([0])
        await cluster.lose(Place(0, 0))
        if by_itself:
            await cluster.choice.refresh()
        else:
            cluster.stored[1][0] = 9
            with pytest.raises(Unavailable, match="caught up"):
                await cluster.choice.choose([0])
            cluster.stored[1][0] = 10
        cluster.intended[0] = {0: 12}
        assert await cluster.choice.choose([0]) == 1
        cluster.stored[0][0] = 10
        await cluster.lose(Place(0, 1))
        await cluster.find(Place(0, 0))
        assert await cluster.choice.choose([0]) == 0

    run(use)


def test_what_the_loader_of_a_silent_server_stores_is_not_waited_for() -> None:
    async def use(cluster: Cluster) -> None:
        await cluster.choice.choose([0])
        await cluster.lose(Place(0, 0))
        await cluster.choice.refresh()
        cluster.stored[0][0] = 12
        await cluster.choice.refresh()
        assert await cluster.choice.choose([0]) == 1

    run(use)


def test_offsets_that_were_read_before_a_server_answered_again_do_not_count() -> None:
    async def use(cluster: Cluster) -> None:
        await cluster.choice.choose([0])
        await cluster.lose(Place(0, 0))
        cluster.may_read.clear()
        refreshing = asyncio.create_task(cluster.choice.refresh())
        await asyncio.wait_for(cluster.is_reading.wait(), 30)
        await cluster.find(Place(0, 0))
        assert await cluster.choice.choose([0]) == 0
        await cluster.lose(Place(0, 0))
        cluster.may_read.set()
        await refreshing
        cluster.stored[0][0] = 11
        with pytest.raises(Unavailable, match="caught up"):
            await cluster.choice.choose([0])

    run(use)


def test_what_a_server_shows_after_it_came_back_is_waited_for_again() -> None:
    async def use(cluster: Cluster) -> None:
        await cluster.choice.choose([0])
        await cluster.lose(Place(0, 0))
        await cluster.choice.refresh()
        await cluster.find(Place(0, 0))
        assert await cluster.choice.choose([0]) == 0
        cluster.intended[0] = {0: 12}
        await cluster.lose(Place(0, 0))
        with pytest.raises(Unavailable, match="caught up"):
            await cluster.choice.choose([0])

    run(use)
