"""Lets each tenant have one large answer made at a time.

AnswerBudget counts the bytes of an answer once its text is written. The rows, models and text of answers that are being
made are not counted, so their number is limited.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from backend.store.queue import FairQueue, QueueLimits
from kit.clock import Clock

LISTS: Final = 4
"""Largest number of lists that an API process makes at the same time: lists of saved items, and lists that admin keys
read. The alert rules of one tenant may have 20 MB, and making their list takes several times as many bytes."""

USAGES: Final = 64
"""Largest number of answers about usage that an API process makes at the same time. Each has at most some MB. The queue
in front of ClickHouse limits their statements."""

_LIMITS: Final = QueueLimits(running=1, waiting=100, seconds=10.0)


class AnswerSlots:
    """Gives slots to tenants in turn, at most one to each tenant at a time. Use it from one event loop only."""

    def __init__(self, name: str, slots: int, clock: Clock) -> None:
        """`name` is the value of the label `queue` in metrics. Errors contain it, as in `100 list requests waiting`."""
        self._queue = FairQueue(name, slots, clock, requests=f"{name} requests")

    @asynccontextmanager
    async def of(self, tenant_id: int) -> AsyncIterator[None]:
        """Holds the slot of a tenant within the block. The block should last until the answer's bytes are counted.

        Raises RateLimited when too many requests of the tenant wait already, or the wait is too long.
        """
        async with self._queue.slot(tenant_id, _LIMITS):
            yield
