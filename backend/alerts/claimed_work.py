"""Runs claimed rules or notices concurrently, and claims more of them as soon as a slot is free."""

import asyncio
import math
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Protocol, TypeVar

import structlog
from sqlalchemy import RowMapping

from kit.errors import Unavailable

POLL_SECONDS: Final = 1.0
"""Longest time between two reads of the rules or notices that are due, in seconds. A slot that becomes free causes a
read at once."""
RENEWAL_SECONDS: Final = 5.0
"""Seconds between two renewals of the claims that a worker holds."""
RUN_SECONDS: Final = 10.0
"""Seconds after which a run of a worker's loop ends although rules or notices are due, so that the loop counts the run
and its errors. Otherwise the loop of a busy worker would look as if it stood still."""
CLAIM_SECONDS: Final = 20.0
"""Seconds for which a claim holds without a renewal. Afterwards another worker may claim the rule or notice, because
the worker that claimed it has probably died."""


class OfTenant(Protocol):
    @property
    def tenant_id(self) -> int: ...


T = TypeVar("T", bound=OfTenant)

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class FreeSlots:
    """Free slots of a worker for rules or notices. `of_tenant` is the largest number of slots that one tenant may
    use. `used` has the number of slots that each tenant uses now."""

    free: int
    of_tenant: int
    used: Mapping[int, int] = field(default_factory=dict)

    @property
    def candidates(self) -> int:
        """Number of ids that `choose` needs at most to fill all free slots, if the tenants of the ids take turns."""
        return self.free * (1 + len(self.used))

    def choose(self, due: Sequence[tuple[str, int]]) -> list[str]:
        """Returns the ids that get a slot. `due` has ids with their tenants, in the order in which to give slots.

        The tenants that use the fewest slots come first. Otherwise the oldest ids of two tenants with many due ids
        would get every slot that becomes free, and other tenants would wait until all older ids have had theirs.
        """
        used, in_turns = Counter(self.used), list[tuple[int, int, str]]()
        for number, (id, tenant_id) in enumerate(due):
            used[tenant_id] += 1
            if used[tenant_id] <= self.of_tenant:
                in_turns.append((used[tenant_id], number, id))
        return [id for _, _, id in sorted(in_turns)[: self.free]]


class ClaimedWork(Generic[T]):
    """Claims rules or notices, and runs them concurrently."""

    def __init__(
        self,
        claim: Callable[[FreeSlots], Awaitable[Sequence[T]]],
        work: Callable[[T], Coroutine[Any, Any, None]],
        concurrent: int,
    ) -> None:
        """`concurrent` is the number of slots. A tenant gets at most half of them, so that its slow queries or
        webhooks leave slots for other tenants."""
        self._claim = claim
        self._work = work
        self._concurrent = concurrent
        self._of_tenant = max(1, concurrent // 2)
        self._running: dict[asyncio.Task[None], int] = {}
        """Tasks of claimed rules or notices, with their tenants."""

    async def run(self, seconds: float = math.inf) -> int:
        """Claims and runs rules or notices until none can be claimed and every claimed one has ended, or for `seconds`.
        Rules or notices that run after `seconds` continue, and the next call waits for them. Returns the number of
        claims.

        An error of `work` is logged, and other rules or notices are claimed and run as before. The first of these
        errors is raised at the end. An error of `claim` is raised at once, and running rules or notices continue.
        """
        time = asyncio.get_running_loop().time
        until, number = time() + seconds, 0
        failure: Exception | None = None
        while True:
            slots = FreeSlots(self._concurrent - len(self._running), self._of_tenant, Counter(self._running.values()))
            claimed = await self._claim(slots) if slots.free else ()
            self._running |= {asyncio.create_task(self._work(each)): each.tenant_id for each in claimed}
            number += len(claimed)
            if not self._running:
                break
            ended, _ = await asyncio.wait(self._running, timeout=POLL_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            failed = self._remove(ended)
            failure = failure or failed
            if time() >= until:
                break
        if failure is not None:
            raise failure
        return number

    async def finish(self, seconds: float) -> None:
        """Waits for the rules or notices that run, at most `seconds`, and cancels those that still run then."""
        if self._running:
            ended, _ = await asyncio.wait(self._running, timeout=seconds)
            self._remove(ended)
        await self.cancel()

    def _remove(self, ended: Collection[asyncio.Task[None]]) -> Exception | None:
        """Forgets tasks that have ended, and logs their errors. Returns the first error."""
        failure: Exception | None = None
        for task in ended:
            del self._running[task]
        for task in ended:
            try:
                task.result()
            except Unavailable as error:
                log.warning("a claimed rule or notice failed", reason=error.detail)
                failure = failure or error
            except Exception as error:  # One rule or notice must not hold up those of other tenants.
                log.exception("a claimed rule or notice failed", exc_info=error)
                failure = failure or error
        return failure

    async def cancel(self) -> None:
        """Cancels the rules or notices that run. Their claims expire, and a worker repeats them."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        self._running.clear()


def claimed_until(now_ns: int) -> int:
    """Returns the time until which a claim of `now_ns` holds without a renewal, in nanoseconds since the Unix epoch."""
    return now_ns + round(CLAIM_SECONDS * 1e9)


def readable(rows: Iterable[RowMapping], read: Callable[[RowMapping], T]) -> list[T]:
    """Returns what `read` makes of claimed rows.

    Logs and leaves out a row that cannot be read, such as one of a newer release, so that it does not hold up the
    others. Its claim expires, and a worker tries again.
    """
    found: list[T] = []
    for row in rows:
        try:
            found.append(read(row))
        except Exception:
            log.exception("a stored rule or notice cannot be read", id=row["id"], tenant=row["tenant_id"])
    return found
