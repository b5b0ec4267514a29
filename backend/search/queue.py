"""Who may ask ClickHouse next: tenants take turns, so one that asks for a lot waits behind itself only."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from kit import metrics
from kit.clock import Clock
from kit.errors import RateLimited

RETRY_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Places:
    """How much one tenant may have at once: statements that run, statements that wait, and seconds one may wait."""

    running: int
    waiting: int
    seconds: float


@dataclass(slots=True)
class _Line:
    """One tenant's: its newest limit, how many run, and who waits, first come first."""

    allowed: int
    running: int = 0
    waiting: deque[asyncio.Future[None]] = field(default_factory=deque)


class FairQueue:
    """`slots` turns at once; a free one goes to the next tenant in a round, not to the one that asked first.

    For one event loop. Whoever is cancelled while waiting or within its turn leaves its place to the next.
    """

    def __init__(self, name: str, slots: int, clock: Clock) -> None:
        self._free = slots
        self._clock = clock
        self._lines: dict[int, _Line] = {}
        self._round: OrderedDict[int, None] = OrderedDict()
        """Tenants with somebody waiting and fewer running than they may; the first is next."""
        self._labels = {"queue": name}
        self._waited = metrics.histogram(metrics.SEARCH_WAIT_SECONDS)
        self._refused = metrics.counter(metrics.SEARCH_REFUSED)

    @asynccontextmanager
    async def turn(self, tenant_id: int, places: Places) -> AsyncIterator[int]:
        """Holds one slot within the block, and gives how many the tenant holds with it.

        Raises RateLimited when too many wait already or the wait is too long.
        """
        line = self._lines.setdefault(tenant_id, _Line(places.running))
        line.allowed = places.running
        try:
            await self._admitted(tenant_id, line, places)
            try:
                yield line.running
            finally:
                line.running -= 1
                self._free += 1
                self._line_up(tenant_id, line)
                self._hand_out()
        finally:
            if not line.running and not line.waiting:
                self._lines.pop(tenant_id, None)

    async def _admitted(self, tenant_id: int, line: _Line, places: Places) -> None:
        if len(line.waiting) >= places.waiting and not (self._free and line.running < line.allowed):
            self._refused.add(1, self._labels)
            raise RateLimited(
                f"{places.waiting} searches of this tenant wait already: ask fewer at once", retry_after=RETRY_SECONDS
            )
        began = self._clock.monotonic()
        turn = asyncio.get_running_loop().create_future()
        line.waiting.append(turn)
        self._line_up(tenant_id, line)
        self._hand_out()
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(turn), places.seconds)
        except asyncio.CancelledError:
            self._leave(tenant_id, line, turn)
            raise
        if not turn.done():
            self._leave(tenant_id, line, turn)
            self._refused.add(1, self._labels)
            raise RateLimited(
                f"no turn came within {places.seconds:g} s: {line.running} searches of this tenant are running",
                retry_after=RETRY_SECONDS,
            )
        self._waited.record(self._clock.monotonic() - began, self._labels)

    def _leave(self, tenant_id: int, line: _Line, turn: asyncio.Future[None]) -> None:
        """Gives up a place in the line, or a turn that came at the same moment."""
        if turn.done():
            line.running -= 1
            self._free += 1
        else:
            line.waiting.remove(turn)
        self._line_up(tenant_id, line)
        self._hand_out()

    def _line_up(self, tenant_id: int, line: _Line) -> None:
        if line.waiting and line.running < line.allowed:
            self._round.setdefault(tenant_id)
        else:
            self._round.pop(tenant_id, None)

    def _hand_out(self) -> None:
        while self._free and self._round:
            tenant_id, _ = self._round.popitem(last=False)
            line = self._lines[tenant_id]
            line.waiting.popleft().set_result(None)
            line.running += 1
            self._free -= 1
            self._line_up(tenant_id, line)
