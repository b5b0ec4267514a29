"""Whose statements run when: a queue for searches and one for exports, so that neither takes the other's places."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from backend.search.queue import FairQueue, Places
from kit.clock import Clock
from kit.settings import Settings
from schema.control.directory import Directory


@dataclass(frozen=True, slots=True)
class Turns:
    """A queue, and what each tenant may have in it at the moment of asking."""

    queue: FairQueue
    places: Callable[[int], Places]

    def of(self, tenant_id: int) -> AbstractAsyncContextManager[None]:
        """One statement's turn. Raises RateLimited when none comes."""
        return self.queue.turn(tenant_id, self.places(tenant_id))


def search_turns(settings: Settings, directory: Directory, clock: Clock) -> Turns:
    """Of everything somebody waits for."""

    def places(tenant_id: int) -> Places:
        own = directory.limits(tenant_id).concurrent_searches
        return Places(
            settings.query_max_concurrent_per_tenant if own is None else own,
            settings.query_max_waiting_per_tenant,
            settings.query_max_wait_seconds,
        )

    return Turns(FairQueue("search", settings.query_max_concurrent, clock), places)


def export_turns(settings: Settings, clock: Clock) -> Turns:
    """Of exports: one statement of each at a time, and nothing is held while its client reads."""
    each = Places(settings.export_max_per_tenant, settings.export_max_per_tenant, settings.export_max_wait_seconds)
    return Turns(FairQueue("export", settings.export_max_concurrent, clock), lambda _: each)
