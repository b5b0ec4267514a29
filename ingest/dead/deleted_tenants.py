"""The deleted tenants, whose dead letters must not be replayed."""

from collections.abc import Callable, Collection
from typing import Final

from kit.clock import Clock

REREAD_SECONDS: Final = 10.0
"""Seconds after which the ids are read again."""


class DeletedTenants:
    """The ids of deleted tenants, read again regularly: a replay may take minutes, in which further tenants are
    deleted.

    Some time after a deletion (LOGSIEVE_ERASURE_AFTER_SECONDS), its erasure reads the end offsets of the topic. It
    erases the rows of messages before these offsets, and not those of later messages. So a letter must be written
    before: the age of the ids and `write_seconds` together must not exceed that time.
    """

    def __init__(self, read: Callable[[], Collection[int]], clock: Clock, write_seconds: float, after: float) -> None:
        """`write_seconds` is the longest time from the look-up of a letter's tenant until the letter is written.
        `after` is the time from a deletion until its erasure reads the end offsets. Both are in seconds."""
        self._read, self._clock = read, clock
        self._max_age = min(REREAD_SECONDS, after - write_seconds)
        self._read_at = clock.monotonic()
        self._ids = read()

    def __contains__(self, tenant_id: object) -> bool:
        if (now := self._clock.monotonic()) - self._read_at >= self._max_age:
            self._read_at, self._ids = now, self._read()
        return tenant_id in self._ids
