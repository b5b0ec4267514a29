"""Limits the concurrent inserts at a shard, so that a hanging insert delays others only briefly."""

import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from ingest.loader.claim import Claim
from kit.clock import Clock

AT_ONCE: Final = 4
"""Largest number of concurrent steps at a shard, over all partitions, because more would only share one server's
resources. The limit of one lane is the same."""

OVERDUE_SECONDS: Final = 5.0
"""Seconds after which a running step no longer counts in the limit of its shard."""

_POLL_SECONDS: Final = 0.5

_Place = tuple[int, int | None]


class Slots:
    """Slots for concurrent inserts, shared by several threads. They count by shard and lane; usage has lane None."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._since: defaultdict[_Place, list[float]] = defaultdict(list)

    @contextmanager
    def taken(self, shard: int, lane: int | None, claim: Claim) -> Iterator[None]:
        """Waits for a free slot and holds it during the block. Raises Abandoned if the claim ends before one is
        free."""
        with self._changed:
            while True:
                claim.check()
                if self._free(shard, lane):
                    break
                self._changed.wait(_POLL_SECONDS)
            since = self._clock.monotonic()
            self._since[shard, lane].append(since)
        try:
            yield
        finally:
            with self._changed:
                self._since[shard, lane].remove(since)
                self._changed.notify_all()

    def _free(self, shard: int, lane: int | None) -> bool:
        if len(self._since[shard, lane]) >= AT_ONCE:
            return False
        oldest = self._clock.monotonic() - OVERDUE_SECONDS
        recent = (each for place, times in self._since.items() if place[0] == shard for each in times if each > oldest)
        return sum(1 for _ in recent) < AT_ONCE
