"""How long it takes after a fault until records are acknowledged, and found, again."""

import time
from dataclasses import dataclass
from typing import Final

from kit.clickhouse import connect_shards
from kit.clock import Clock
from kit.errors import Unavailable
from kit.settings import Settings
from loadtest.faults.clients import Acknowledged, Acknowledgements
from loadtest.log_store import LogStore
from schema.clickhouse.tables import table_name

RECOVERY_SECONDS: Final = 180.0
"""A stack that needs longer does not recover."""

_POLL_SECONDS: Final = 0.05


@dataclass(frozen=True, slots=True)
class Recovery:
    """Seconds from a kill until a request begun after it was acknowledged, and until its records were found.

    Both hold the pause that the supervisor makes before it starts a process again, which grows with every death
    within a minute of the last (stack/supervisor.py).
    """

    target: str
    acknowledged_after: float
    searchable_after: float


class RecoveryWatch:
    """Waits for recoveries."""

    def __init__(self, settings: Settings, acknowledgements: Acknowledgements, clock: Clock) -> None:
        self._settings = settings
        self._acknowledgements = acknowledgements
        self._clock = clock

    def recovered(self, target: str, killed_at: float) -> Recovery:
        """Raises Unavailable when it takes more than three minutes."""
        deadline = killed_at + RECOVERY_SECONDS
        answer = self._acknowledged(killed_at, deadline)
        while not self._found(answer):
            if self._clock.monotonic() > deadline:
                raise Unavailable(f"records are not found {RECOVERY_SECONDS:g} s after {target} was killed")
            time.sleep(_POLL_SECONDS)
        return Recovery(target, answer.at - killed_at, self._clock.monotonic() - killed_at)

    def _acknowledged(self, moment: float, deadline: float) -> Acknowledged:
        while (answer := self._acknowledgements.first_begun_after(moment)) is None:
            if self._clock.monotonic() > deadline:
                raise Unavailable(f"no request was acknowledged for {RECOVERY_SECONDS:g} s")
            time.sleep(_POLL_SECONDS)
        return answer

    def _found(self, answer: Acknowledged) -> bool:
        try:
            with connect_shards(self._settings) as shards:
                store = LogStore(shards, self._settings, self._clock)
                return store.holds(table_name(answer.sender.lane), answer.sender.tenant_id, answer.time_ns)
        except Unavailable:
            return False
