"""Queue in front of ClickHouse. Slots alternate between tenants: a tenant with many statements delays only itself."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from backend.store.priority import ALONE, Standing, at_once
from backend.store.use import RecentUse
from kit import metrics
from kit.clock import Clock
from kit.errors import RateLimited

RETRY_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """Limits of one tenant: running statements, waiting statements, and seconds that a statement may wait."""

    running: int
    waiting: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Slot:
    """Permission to run one statement. `running` counts the tenant's running statements, including this one."""

    running: int
    standing: Standing


@dataclass(slots=True)
class _Line:
    """State of one tenant: its newest limit, its running statements, and its waiting statements, oldest first."""

    allowed: int
    running: int = 0
    waiting: deque[asyncio.Future[None]] = field(default_factory=deque)


class FairQueue:
    """Runs at most `slots` statements concurrently. Use it from one event loop only.

    A free slot goes to the next tenant in a round, not to the oldest request. A request that is cancelled while it
    waits or runs gives its place back. With `use`, a tenant that is not alone may run fewer statements
    (backend/store/priority.py).
    """

    def __init__(
        self, name: str, slots: int, clock: Clock, use: RecentUse | None = None, requests: str = "searches"
    ) -> None:
        """`requests` is the plural noun by which errors name what waits in the queue."""
        self._free = slots
        self._requests = requests
        self._clock = clock
        self._use = use
        self.processors = 1
        """Number of processors of the server that runs the statements; 1 until it is known."""
        self._lines: dict[int, _Line] = {}
        self._round: OrderedDict[int, None] = OrderedDict()
        """Tenants with waiting statements that may run one more. The first one is next."""
        self._labels = {"queue": name}
        self._waited = metrics.histogram(metrics.SEARCH_WAIT_SECONDS)
        self._refused = metrics.counter(metrics.SEARCH_REFUSED)

    @asynccontextmanager
    async def slot(self, tenant_id: int, limits: QueueLimits) -> AsyncIterator[Slot]:
        """Holds one slot within the block.

        Raises RateLimited when too many requests of the tenant wait already, or the wait is too long.
        """
        line = self._lines.setdefault(tenant_id, _Line(limits.running))
        line.allowed = limits.running
        try:
            await self._admitted(tenant_id, line, limits)
            try:
                yield Slot(line.running, self._standing(tenant_id))
            finally:
                self._give_back(tenant_id, line)
                self._update_round(tenant_id, line)
                self._give_slots()
        finally:
            if not line.running and not line.waiting:
                self._lines.pop(tenant_id, None)

    async def _admitted(self, tenant_id: int, line: _Line, limits: QueueLimits) -> None:
        if len(line.waiting) >= limits.waiting and not (self._free and self._may_run(tenant_id, line)):
            self._refused.add(1, self._labels)
            raise RateLimited(
                f"this tenant has {limits.waiting} {self._requests} waiting, the largest number allowed: send fewer "
                f"concurrent {self._requests}",
                retry_after=RETRY_SECONDS,
            )
        started = self._clock.monotonic()
        slot = asyncio.get_running_loop().create_future()
        line.waiting.append(slot)
        self._update_round(tenant_id, line)
        self._give_slots()
        try:
            # Not `wait_for`, which swallows a cancellation that comes together with the slot in Python 3.11.
            await asyncio.wait((slot,), timeout=limits.seconds)
        except asyncio.CancelledError:
            self._leave(tenant_id, line, slot)
            raise
        if not slot.done():
            # The tenant may run more statements than when it was last considered, if other tenants have become idle.
            self._update_round(tenant_id, line)
            self._give_slots()
        if not slot.done():
            self._leave(tenant_id, line, slot)
            self._refused.add(1, self._labels)
            share = (
                ""
                if self._use is None
                else ". While other tenants search, a tenant with many more running searches gets at most half of the "
                "processors"
            )
            advice = (
                f"send fewer concurrent {self._requests}, or try again later" if line.running else "try again later"
            )
            raise RateLimited(
                f"this request waited {limits.seconds:g} s in the queue without a turn; this tenant has {line.running} "
                f"{self._requests} running: {advice}{share}",
                retry_after=RETRY_SECONDS,
            )
        self._waited.record(self._clock.monotonic() - started, self._labels)

    def _leave(self, tenant_id: int, line: _Line, slot: asyncio.Future[None]) -> None:
        """Gives up a place in the queue, or a slot that was given at the same moment."""
        if slot.done():
            self._give_back(tenant_id, line)
        else:
            line.waiting.remove(slot)
        self._update_round(tenant_id, line)
        self._give_slots()

    def _give_back(self, tenant_id: int, line: _Line) -> None:
        line.running -= 1
        self._free += 1
        if self._use is not None:
            self._use.ended(tenant_id)

    def _standing(self, tenant_id: int) -> Standing:
        if self._use is None:
            return ALONE
        return Standing(self._use.has_others(tenant_id), self._use.is_heavy(tenant_id))

    def _may_run(self, tenant_id: int, line: _Line) -> bool:
        return line.running < at_once(line.allowed, self._standing(tenant_id), self.processors)

    def _update_round(self, tenant_id: int, line: _Line) -> None:
        """Adds the tenant to the round if it has waiting statements and may run one more. Otherwise removes it."""
        if line.waiting and self._may_run(tenant_id, line):
            self._round.setdefault(tenant_id)
        else:
            self._round.pop(tenant_id, None)

    def _give_slots(self) -> None:
        """Gives free slots to the tenants in the round, one slot to each in turn."""
        while self._free and self._round:
            tenant_id, _ = self._round.popitem(last=False)
            line = self._lines[tenant_id]
            # The tenant may have lost its right to a slot since it was added to the round. It is added again when one
            # of its statements ends.
            if not self._may_run(tenant_id, line):
                continue
            line.waiting.popleft().set_result(None)
            line.running += 1
            self._free -= 1
            if self._use is not None:
                self._use.started(tenant_id)
            self._update_round(tenant_id, line)
