"""How many bytes of requests are held at once."""

from collections.abc import Iterator
from contextlib import contextmanager

from kit.errors import Unavailable


class MemoryBudget:
    """Refuses what would go beyond it, so that many large requests at once cost no more than one setting says."""

    def __init__(self, size: int) -> None:
        self._left = size

    @contextmanager
    def share(self) -> Iterator["Share"]:
        """A request's share, given back at the end."""
        share = Share(self)
        try:
            yield share
        finally:
            self._left += share.size

    def _take(self, size: int) -> None:
        if size > self._left:
            raise Unavailable("the receiver holds as many requests as it can")
        self._left -= size


class Share:
    """The bytes one request holds."""

    def __init__(self, budget: MemoryBudget) -> None:
        self._budget = budget
        self.size = 0

    def grow(self, size: int) -> None:
        """Takes `size` bytes more. Raises Unavailable when they are not there."""
        self._budget._take(size)
        self.size += size
