"""Whose statements run when: a queue for searches and one for exports, so that neither takes the other's places."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from backend.store.priority import EXPORT, memory_of, share_of
from backend.store.queue import FairQueue, Places, Turn
from backend.store.use import RecentUse
from kit.clock import Clock
from kit.settings import Settings
from schema.control.directory import Directory


@dataclass(frozen=True, slots=True)
class Turns:
    """A queue, what a tenant may have in it at the moment of asking, and the settings of a statement that runs."""

    queue: FairQueue
    places: Callable[[int], Places]
    share: Callable[[Turn, int], Mapping[str, int]]
    """The settings of a statement, by its turn and the server's processors."""

    @asynccontextmanager
    async def of(self, tenant_id: int) -> AsyncIterator[Mapping[str, int]]:
        """One statement's turn, and ClickHouse's settings for it. Raises RateLimited when none comes."""
        async with self.queue.turn(tenant_id, self.places(tenant_id)) as turn:
            yield self.share(turn, self.queue.processors)


def search_turns(settings: Settings, directory: Directory, clock: Clock) -> Turns:
    """Of everything somebody waits for."""

    def places(tenant_id: int) -> Places:
        own = directory.limits(tenant_id).concurrent_searches
        return Places(
            settings.query_max_concurrent_per_tenant if own is None else own,
            settings.query_max_waiting_per_tenant,
            settings.query_max_wait_seconds,
        )

    queue = FairQueue("search", settings.query_max_concurrent, clock, RecentUse(clock))

    def share(turn: Turn, processors: int) -> Mapping[str, int]:
        memory = memory_of(turn.running, settings.query_max_memory)
        return {**share_of(turn.running, turn.standing, processors), "max_memory_usage": memory}

    return Turns(queue, places, share)


def export_turns(settings: Settings, clock: Clock) -> Turns:
    """Of exports: one statement of each at a time, and nothing is held while its client reads."""
    each = Places(settings.export_max_per_tenant, settings.export_max_per_tenant, settings.export_max_wait_seconds)
    return Turns(FairQueue("export", settings.export_max_concurrent, clock), lambda _: each, lambda *_: EXPORT)
