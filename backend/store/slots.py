"""The queues for searches and for exports. They are separate, so that exports do not take slots of searches."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

from backend.store.priority import EXPORT, divided_limit, share_of
from backend.store.queue import FairQueue, QueueLimits, Slot
from backend.store.result_budget import ResultBudget
from backend.store.use import RecentUse
from kit.clock import Clock
from kit.settings import Settings
from schema.control.directory import Directory


@dataclass(frozen=True, slots=True)
class QueueSlots:
    """A queue, the current limits of each tenant in it, the settings for running statements, and the memory for their
    results."""

    queue: FairQueue
    limits: Callable[[int], QueueLimits]
    share: Callable[[Slot, int], Mapping[str, int]]
    """Returns the settings of a statement, from its slot and the server's number of processors."""
    results: ResultBudget

    @asynccontextmanager
    async def of(self, tenant_id: int) -> AsyncIterator[Mapping[str, int]]:
        """Waits for a slot for one statement and yields ClickHouse's settings for it.

        Raises RateLimited when the wait is too long.
        """
        async with self.queue.slot(tenant_id, self.limits(tenant_id)) as slot:
            yield self.share(slot, self.queue.processors)

    @contextmanager
    def counting(self, tenant_id: int) -> Iterator[Callable[[int], None]]:
        """Yields the function that counts bytes of a statement's result until the block ends. It raises ShareTooSmall
        if they do not fit into the budget."""
        with self.results.share(tenant_id) as held:
            yield held.grow


def search_slots(settings: Settings, directory: Directory, clock: Clock, results: ResultBudget) -> QueueSlots:
    """Returns the queue for interactive statements: searches, counts, context."""

    def limits(tenant_id: int) -> QueueLimits:
        own = directory.limits(tenant_id).concurrent_searches
        return QueueLimits(
            settings.query_max_concurrent_per_tenant if own is None else own,
            settings.query_max_waiting_per_tenant,
            settings.query_max_wait_seconds,
        )

    queue = FairQueue("search", settings.query_max_concurrent, clock, RecentUse(clock))

    def share(slot: Slot, processors: int) -> Mapping[str, int]:
        return {
            **share_of(slot.running, slot.standing, processors),
            "max_memory_usage": divided_limit(slot.running, settings.query_max_memory),
            "max_result_bytes": divided_limit(slot.running, settings.query_max_result_bytes),
        }

    return QueueSlots(queue, limits, share, results)


def export_slots(settings: Settings, clock: Clock, results: ResultBudget) -> QueueSlots:
    """Returns the queue for exports.

    Each export runs one statement at a time, and holds no slot while its client reads.
    """
    each = QueueLimits(settings.export_max_per_tenant, settings.export_max_per_tenant, settings.export_max_wait_seconds)
    queue = FairQueue("export", settings.export_max_concurrent, clock)
    return QueueSlots(queue, lambda _: each, lambda *_: EXPORT, results)
