"""A memory budget, in bytes, with a limit for each tenant that follows from the free bytes."""

import asyncio
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kit.counts import decrease
from kit.errors import RetryableError


class FairBudget(ABC):
    """Memory budget that tenants share, in bytes. Refuses bytes beyond its size. For one event loop.

    A tenant may hold at most as many bytes as remain free: half of all when it is alone, a third when a second tenant
    holds as many. So no tenant can take all, and no limit per tenant has to be set.
    Source: Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet switches" (1998), alpha 1.
    """

    def __init__(self, size: int) -> None:
        self._left = size
        self._held: Counter[int] = Counter()
        self._given_back = asyncio.Event()

    @contextmanager
    def share(self, tenant_id: int) -> Iterator["Share"]:
        """Yields an empty share. Its bytes are returned to the budget when the block ends."""
        share = Share(self, tenant_id)
        try:
            yield share
        finally:
            share.shrink(share.size)

    def check(self, size: int) -> None:  # noqa: B027 a budget may have no such limit
        """Raises an error that is no RetryableError if a share may never have `size` bytes."""

    @abstractmethod
    def refusal(self, size: int, held: int, left: int) -> RetryableError:
        """Returns the error for a tenant that holds `held` bytes and requests `size` more, while `left` bytes are free
        in all."""

    def _take(self, tenant_id: int, size: int) -> None:
        held = self._held[tenant_id]
        if held + size > self._left - size:
            raise self.refusal(size, held, self._left)
        self._left -= size
        self._held[tenant_id] += size

    def _give_back(self, tenant_id: int, size: int) -> None:
        self._left += size
        decrease(self._held, tenant_id, size)
        self._given_back.set()
        self._given_back = asyncio.Event()


class Share:
    """The bytes that one request or answer holds."""

    def __init__(self, budget: FairBudget, tenant_id: int) -> None:
        self._budget = budget
        self._tenant_id = tenant_id
        self.size = 0

    def grow(self, size: int) -> None:
        """Takes `size` more bytes. Raises the budget's refusal if the tenant may not hold them, and what its `check`
        raises."""
        self._budget.check(self.size + size)
        self._budget._take(self._tenant_id, size)
        self.size += size

    async def grow_when_there_is_room(self, size: int) -> None:
        """Like `grow`, but waits until the tenant may hold the bytes. Has no timeout."""
        while True:
            given_back = self._budget._given_back
            try:
                return self.grow(size)
            except RetryableError:
                await given_back.wait()

    def shrink(self, size: int) -> None:
        """Returns `size` bytes to the budget before the block ends."""
        self._budget._give_back(self._tenant_id, size)
        self.size -= size

    def keep_until(self, done: "asyncio.Future[Any]") -> None:
        """Keeps the bytes after the end of the block, until the future is done."""
        kept, self.size = self.size, 0
        done.add_done_callback(lambda _: self._budget._give_back(self._tenant_id, kept))
