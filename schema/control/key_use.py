"""Last use of each key: collected by each process and written to the control plane in batches."""

from collections.abc import Mapping
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from kit.clock import Clock
from schema.control.models import ApiKeyUse
from schema.control.upsert import upsert

MINUTE_NS: Final = 60 * 10**9

WRITE_SECONDS: Final = 30.0
"""Seconds between two writes. A killed process loses the uses since its last write."""


class KeyUse:
    """Uses of keys that are not written yet, to the minute. May be used from any thread.

    Holds at most one entry per valid key.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._written: dict[str, int] = {}
        self._unwritten: dict[str, int] = {}

    def used(self, key_id: str) -> None:
        minute = self._clock.now_ns() // MINUTE_NS
        if self._written.get(key_id) != minute:
            self._unwritten[key_id] = minute

    def take(self) -> dict[str, int]:
        """Removes and returns the unwritten uses: for each key id, minutes since the Unix epoch."""
        taken, self._unwritten = self._unwritten, {}
        return taken

    def wrote(self, minutes: Mapping[str, int]) -> None:
        """Marks these uses as stored, so that another use of a key in the same minute is not written again."""
        now = self._clock.now_ns() // MINUTE_NS
        self._written = {key: minute for key, minute in self._written.items() if minute >= now} | dict(minutes)

    def put_back(self, minutes: Mapping[str, int]) -> None:
        """Keeps uses that could not be stored for the next attempt."""
        self._unwritten = {**minutes, **self._unwritten}


async def write_uses(connection: AsyncConnection, minutes: Mapping[str, int]) -> None:
    """Writes the uses that are later than the stored ones."""
    statement = upsert(connection, ApiKeyUse)
    later = statement.on_conflict_do_update(
        index_elements=[ApiKeyUse.key_id],
        set_={"used_at_ns": statement.excluded.used_at_ns},
        where=ApiKeyUse.used_at_ns < statement.excluded.used_at_ns,
    )
    # All processes use the same order, so that two of them never deadlock.
    rows = [{"key_id": key, "used_at_ns": minute * MINUTE_NS} for key, minute in sorted(minutes.items())]
    if rows:
        await connection.execute(later, rows)
