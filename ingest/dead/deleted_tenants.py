"""The deleted tenants, whose dead letters must not be replayed."""

from collections.abc import Callable, Collection
from typing import Final

from kit.clock import Clock

REREAD_SECONDS: Final = 10.0
"""Largest age, in seconds, at which a reading is used."""


class DeletedTenants:
    """The ids of deleted tenants. A replay may take minutes, in which further tenants are deleted.

    An erasure notes the ends of the topic some time after the deletion (LOGSIEVE_ERASURE_AFTER_SECONDS), and erases
    what came before them. A letter must come before them: it is replayed within the age of a reading and
    `write_seconds`.
    """

    def __init__(self, read: Callable[[], Collection[int]], clock: Clock, write_seconds: float, after: float) -> None:
        """`write_seconds` is the longest time that a letter takes after the look-up, `after` the time from a deletion
        to the ends of its erasure, in seconds."""
        self._read, self._clock = read, clock
        self._max_age = min(REREAD_SECONDS, after - write_seconds)
        self._read_at = clock.monotonic()
        self._ids = read()

    def __contains__(self, tenant_id: object) -> bool:
        if (now := self._clock.monotonic()) - self._read_at >= self._max_age:
            self._read_at, self._ids = now, self._read()
        return tenant_id in self._ids
