"""The deleted tenants, whose dead letters must not be put back."""

from collections.abc import Callable, Collection
from typing import Final

from kit.clock import Clock

REREAD_SECONDS: Final = 10.0
"""Age of a reading, in seconds, from which on it is read again.

An erasure notes the ends of the topic a minute after the deletion and erases what came before them. A letter that is
put back within this time after a reading therefore comes before the ends, even if its transaction takes 30 s.
"""


class DeletedTenants:
    """The ids of deleted tenants. A replay may take minutes, in which further tenants are deleted."""

    def __init__(self, read: Callable[[], Collection[int]], clock: Clock) -> None:
        self._read, self._clock = read, clock
        self._read_at = clock.monotonic()
        self._ids = read()

    def __contains__(self, tenant_id: object) -> bool:
        if (now := self._clock.monotonic()) - self._read_at >= REREAD_SECONDS:
            self._read_at, self._ids = now, self._read()
        return tenant_id in self._ids
