"""Counts each tenant's bytes of the UTC day. Receivers share the counts through the control plane."""

import asyncio
from collections import Counter
from typing import Final

import structlog
from sqlalchemy.exc import SQLAlchemyError

from kit import metrics
from kit.clock import DAY_NS, Clock
from kit.repeating import RepeatingTask
from schema.control.database import open_database, reason_of
from schema.control.day_usage import add_day_usage, forget_day_usage, read_day_usage

log = structlog.get_logger()

SHARE_SECONDS = 3.0
"""Seconds between two exchanges of counts. A quota may be exceeded by the bytes sent in this time."""

ANSWER_SECONDS: Final = 30.0
"""Timeout of one exchange, in seconds. A server that accepts connections and never answers would otherwise block the
start of the receiver and the exchanges."""

STOP_SECONDS: Final = 1.0
"""Longest wait of a stop for the last exchange, in seconds. A receiver has 30 s to stop, of which requests in progress
take up to 12 s."""


class DayQuota:
    """Counts of this process, and of the installation as of the last exchange.

    While the control plane is unreachable, this process continues to count and adds its counts later. A killed process
    loses its last counts for the quota (not for usage, which the loader counts).
    """

    def __init__(self, url: str, clock: Clock) -> None:
        self._engine = open_database(url)
        self._clock = clock
        self._day = self._today()
        self._shared: dict[int, int] = {}
        self._unsent: Counter[int] = Counter()
        self._forgot_day: int | None = None
        self._sharing = RepeatingTask("day-quota", SHARE_SECONDS, self.share)
        self._failures = metrics.counter(metrics.CONTROL_REFRESH_FAILURES)

    async def start(self) -> None:
        await self.share()
        self._sharing.start()

    async def stop(self) -> None:
        """Adds the remaining counts, if the control plane answers within STOP_SECONDS."""
        await self._sharing.stop(STOP_SECONDS)
        await self._engine.dispose()

    def sent(self, tenant_id: int, size: int) -> None:
        """Counts bytes that Kafka has accepted."""
        self._start_day()
        self._unsent[tenant_id] += size

    def sent_today(self, tenant_id: int) -> int:
        self._start_day()
        return self._shared.get(tenant_id, 0) + self._unsent[tenant_id]

    def seconds_left(self) -> float:
        """Returns the seconds until the UTC day ends."""
        return (DAY_NS - self._clock.now_ns() % DAY_NS) / 1e9

    async def share(self) -> None:
        """Adds this process's bytes to the day's sums and reads the sums of all receivers. Logs a failure and keeps all
        counts."""
        self._start_day()
        day, sending = self._day, self._unsent.copy()
        try:
            async with asyncio.timeout(ANSWER_SECONDS), self._engine.begin() as connection:
                await add_day_usage(connection, day, sending)
                shared = await read_day_usage(connection, day)
                if self._forgot_day != day:
                    await forget_day_usage(connection, day)
                    self._forgot_day = day
        except (SQLAlchemyError, OSError) as error:
            self._failures.add(1)
            log.warning(
                "the bytes of the UTC day cannot be added up over all receivers",
                error=reason_of(error, ANSWER_SECONDS),
            )
            return
        if day == self._day:
            self._shared = shared
            self._unsent -= sending

    def _start_day(self) -> None:
        """Starts a new UTC day at 0 bytes. The old day's last bytes are not added any more, because nobody would read
        them."""
        if (today := self._today()) != self._day:
            self._day, self._shared, self._unsent = today, {}, Counter()

    def _today(self) -> int:
        return self._clock.now_ns() // DAY_NS
