"""Bounds the bytes of answers that clients have not read yet, for each tenant and in all."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from kit.errors import RateLimited

RETRY_SECONDS = 5.0


class AnswerBudget:
    """Refuses answers whose tenant holds as much as is left already, so that slow readers cost no more than `size`.

    A tenant may hold as many bytes as are left after its answer: alone half of `size`, next to another tenant that
    does the same a third. One answer of a tenant without others may take all that is left. For one event loop.
    """

    def __init__(self, size: int) -> None:
        self._left = size
        self._held: Counter[int] = Counter()

    @contextmanager
    def share(self, tenant_id: int) -> Iterator["HeldAnswer"]:
        """The bytes that one answer holds, given back at the end of the block."""
        held = HeldAnswer(self, tenant_id)
        try:
            yield held
        finally:
            self._give_back(tenant_id, held.size)

    def _take(self, tenant_id: int, size: int, own: int) -> None:
        others = self._held[tenant_id] - own
        fits = size <= self._left and (not others or self._held[tenant_id] + size <= self._left - size)
        if not fits:
            raise RateLimited(
                f"clients of this tenant have not read {self._held[tenant_id]:,} bytes of their answers yet, and "
                f"{self._left:,} bytes are left for all tenants: read or close these answers, then ask again, or ask "
                "for fewer records at once",
                RETRY_SECONDS,
            )
        self._left -= size
        self._held[tenant_id] += size

    def _give_back(self, tenant_id: int, size: int) -> None:
        self._left += size
        self._held[tenant_id] -= size
        if not self._held[tenant_id]:
            del self._held[tenant_id]


class HeldAnswer:
    """The bytes of one answer."""

    def __init__(self, budget: AnswerBudget, tenant_id: int) -> None:
        self._budget = budget
        self._tenant_id = tenant_id
        self.size = 0

    def grow(self, size: int) -> None:
        """Takes `size` bytes more. Raises RateLimited when the tenant may not hold them."""
        self._budget._take(self._tenant_id, size, self.size)
        self.size += size

    def shrink(self, size: int) -> None:
        """Gives `size` bytes back, which the client has read."""
        self._budget._give_back(self._tenant_id, size)
        self.size -= size
