"""Waits for the recovery from one kill, while further faults may follow it."""

from collections.abc import Callable

from kit.clickhouse import connect_shards
from kit.clock import Clock
from kit.errors import Unavailable
from loadtest.background import Background
from loadtest.faults.inflict import RECOVERY_SECONDS
from loadtest.faults.study import Recovery
from loadtest.log_store import LogStore
from loadtest.own_stack import OwnStack
from loadtest.traffic.load import Load
from loadtest.traffic.scheduled_exports import Answered
from loadtest.waiting import wait_until
from schema.clickhouse.tables import table_name


class Recovering(Background):
    """Waits within the block until a request started after the kill is acknowledged, and its records are found."""

    def __init__(self, target: str, load: Load, stack: OwnStack, clock: Clock) -> None:
        """`target` has just been killed."""
        super().__init__(f"recovery-{target}")
        self._target = target
        self._load = load
        self._stack = stack
        self._clock = clock
        self._killed_at = clock.monotonic()
        self._recovery: Recovery | None = None

    def finish(self) -> Recovery:
        """Waits for the recovery, and returns it.

        Raises Unavailable if one of its parts takes longer than RECOVERY_SECONDS.
        """
        while not self.join(RECOVERY_SECONDS):
            pass  # each part ends in this time
        assert self._recovery is not None
        return self._recovery

    def work(self) -> None:
        self._wait_until(lambda: self._first_answer() is not None, "no request was acknowledged")
        if (answer := self._first_answer()) is None:
            return
        self._wait_until(lambda: self._finds(answer), "records were not found")
        self._recovery = Recovery(
            target=self._target,
            acknowledged_after=answer.at - self._killed_at,
            searchable_after=self._clock.monotonic() - self._killed_at,
        )

    def _wait_until(self, reached: Callable[[], bool], failure: str) -> None:
        failure = f"{failure} after {self._target} was killed"
        wait_until(lambda: self.stopping.is_set() or reached(), self._clock, RECOVERY_SECONDS, failure)

    def _first_answer(self) -> Answered | None:
        return self._load.first_started_after(self._killed_at)

    def _finds(self, answer: Answered) -> bool:
        try:
            with connect_shards(self._stack.settings) as shards:
                store = LogStore(shards, self._stack.settings, self._clock)
                return store.holds(table_name(answer.sender.lane), answer.sender.tenant_id, answer.time_ns)
        except Unavailable:
            return False
