"""How many bytes of requests are held at once, and how few of them one tenant can have."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from kit.errors import RateLimited, RetryableError, Unavailable


class MemoryBudget:
    """Refuses what would go beyond it, so that many large requests at once cost no more than one setting says.

    A tenant may hold as much as is left after it: alone half of everything, next to another that does the same a
    third. So nobody can take what everyone else needs, and no number has to be set.
    Source: Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet switches" (1998), alpha 1.
    """

    def __init__(self, size: int) -> None:
        self._left = size
        self._held: Counter[int] = Counter()
        self._given_back = asyncio.Event()

    @staticmethod
    def size_for(held: int) -> int:
        """The smallest budget of which a tenant may hold so much, when nobody else holds any."""
        return 2 * held

    @contextmanager
    def share(self, tenant_id: int) -> Iterator["Share"]:
        """A request's share, given back at the end."""
        share = Share(self, tenant_id)
        try:
            yield share
        finally:
            share.shrink(share.size)

    def _take(self, tenant_id: int, size: int) -> None:
        if size > self._left:
            raise Unavailable("the receiver holds as many requests as it can")
        if self._held[tenant_id] + size > self._left - size:
            raise RateLimited("the receiver holds as many requests of this tenant as it can")
        self._left -= size
        self._held[tenant_id] += size

    def _give_back(self, tenant_id: int, size: int) -> None:
        self._left += size
        self._held[tenant_id] -= size
        if not self._held[tenant_id]:
            del self._held[tenant_id]
        self._given_back.set()
        self._given_back = asyncio.Event()


class Share:
    """The bytes one request holds."""

    def __init__(self, budget: MemoryBudget, tenant_id: int) -> None:
        self._budget = budget
        self._tenant_id = tenant_id
        self.size = 0

    def grow(self, size: int) -> None:
        """Takes `size` bytes more. Raises Unavailable when they are not there, RateLimited when they are others'."""
        self._budget._take(self._tenant_id, size)
        self.size += size

    async def grow_when_there_is_room(self, size: int) -> None:
        """The same for as long as it takes: whoever asks sets the time."""
        while True:
            given_back = self._budget._given_back
            try:
                return self.grow(size)
            except RetryableError:
                await given_back.wait()

    def shrink(self, size: int) -> None:
        """Gives `size` bytes back early."""
        self._budget._give_back(self._tenant_id, size)
        self.size -= size
