"""Finds the tails that receive a message, and limits the processor time that one tenant's tails take."""

import math
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final

from backend.tail.events import Piece
from backend.tail.group import Group
from backend.tail.handover import Offered
from backend.tail.messages import TailedMessage
from backend.tail.position import TailPosition
from kit import metrics
from kit.clock import Clock
from kit.errors import RateLimited

WINDOW_SECONDS: Final = 10.0
"""Seconds in which the counted processor time of a tenant decays to 37 percent."""

LIMIT_SECONDS: Final = 2.5
"""Largest processor time, in seconds within about WINDOW_SECONDS, that the tails of a tenant may take while other
tenants have tails. One thread reads for all tails, and falls behind when its work takes longer than the time in which
records arrive."""

MESSAGE_SECONDS: Final = 5.0
"""Largest processor time, in seconds, that the tails of a tenant may take for one message while no other tenant has
tails. A tail that another tenant opens meanwhile waits for two messages at most, and is answered 503 after
POSITION_SECONDS (backend/tail/handover.py)."""


class Dispatch:
    """Decides for each message which tails receive it. For use by one thread."""

    def __init__(self, clock: Clock, thread_time: Callable[[], float] = time.thread_time) -> None:
        """`thread_time` returns the processor time of the calling thread, in seconds."""
        self._clock = clock
        self._thread_time = thread_time
        self._spent: dict[int, tuple[float, float]] = {}
        """For each tenant, its processor time, and the time of the monotonic clock at which it was computed, both in
        seconds."""

    def offered(
        self, read: TailedMessage, groups: Collection[Group], position: Callable[[Group], TailPosition]
    ) -> Iterator[Offered]:
        """Yields the events of the message for each group that receives some, in pieces. `groups` are all groups,
        `position` returns the position of a group before the message.

        Raises RateLimited when the tenant's tails take too long. The time is checked after each slice of the message.
        """
        tenant_id = read.tenant_id
        wanted = [(group, position(group)) for group in groups if group.query.tenant_id == tenant_id]
        if tenant_id is None or not wanted:
            metrics.counter(metrics.TAIL_MESSAGES).add(1, {"outcome": "skipped"})
            return
        evaluated, spent = _evaluated(read, wanted), 0.0
        while True:
            if self.takes_too_long(tenant_id, groups):
                raise refusal()
            if spent > MESSAGE_SECONDS:
                raise _message_refusal()
            started = self._thread_time()
            found = next(evaluated, None)
            seconds = self._thread_time() - started
            self._count(tenant_id, seconds)
            if found is None:
                return
            spent += seconds
            group, piece = found
            if piece is not None:
                yield tuple(group.members), piece

    def takes_too_long(self, tenant_id: int, groups: Collection[Group]) -> bool:
        """Returns whether a tenant's tails took more time than they may beside the tails of other tenants."""
        return self._recent(tenant_id) > LIMIT_SECONDS and any(group.query.tenant_id != tenant_id for group in groups)

    def _count(self, tenant_id: int, seconds: float) -> None:
        self._spent[tenant_id] = self._recent(tenant_id) + seconds, self._clock.monotonic()

    def _recent(self, tenant_id: int) -> float:
        now = self._clock.monotonic()
        spent, at = self._spent.get(tenant_id, (0.0, now))
        return spent * math.exp((at - now) / WINDOW_SECONDS)


def _evaluated(
    read: TailedMessage, wanted: Sequence[tuple[Group, TailPosition]]
) -> Iterator[tuple[Group, Piece | None]]:
    """Yields each piece for each group, and None after a group's query was evaluated on a slice of the message.

    All groups read a slice before the next one, so that they share the JSON of its records. Raises RateLimited before a
    record whose evaluation could take too long (TailedMessage.slices).
    """
    for rows in read.slices([group.query.text_steps for group, _ in wanted]):
        for group, before in wanted:
            for piece in group.query.events(read, before, rows):
                yield group, piece
            yield group, None


def refusal() -> RateLimited:
    """Returns the error with which the tails of a tenant end, and new ones are refused for some seconds."""
    return RateLimited(
        "the live tails of this tenant take too much processor time beside those of other tenants: open fewer tails, "
        "or write queries with fewer terms",
        retry_after=WINDOW_SECONDS,
    )


def _message_refusal() -> RateLimited:
    """Returns the error with which the tails of a tenant end inside a message."""
    return RateLimited(
        f"the live tails of this tenant took more than {MESSAGE_SECONDS:g} s of processor time for the logs of one "
        "request: open fewer tails, or write queries with fewer terms",
        retry_after=WINDOW_SECONDS,
    )
