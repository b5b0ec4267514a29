"""Runs claimed rules or notices concurrently, and claims more of them as soon as a place is free."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeVar

import structlog
from sqlalchemy import RowMapping

POLL_SECONDS: Final = 0.5
"""Longest time between two reads of the rules or notices that are due, in seconds. A place that becomes free causes a
read at once."""
RENEWAL_SECONDS: Final = 5.0
"""Seconds between two renewals of the claims that a worker holds."""
CLAIM_SECONDS: Final = 20.0
"""Seconds for which a claim holds without a renewal. Afterwards another worker may claim the rule or notice, because
the worker that claimed it has probably died."""


class OfTenant(Protocol):
    @property
    def tenant_id(self) -> int: ...


T = TypeVar("T", bound=OfTenant)

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Places:
    """Free places of a worker. `of_tenant` is the largest number of places of one tenant. `used` has the number of
    places that each tenant uses now."""

    free: int
    of_tenant: int
    used: Mapping[int, int] = field(default_factory=dict)

    @property
    def candidates(self) -> int:
        """Number of ids for `choose` that is always enough, if tenants take turns in them."""
        return self.free * (1 + len(self.used))

    def choose(self, due: Sequence[tuple[str, int]]) -> list[str]:
        """Returns the ids that get a place. `due` has ids with their tenants, in the order in which to give places.

        The tenants that use the fewest places come first. Otherwise the oldest ids of two tenants with many due ids
        would get every place that becomes free, and other tenants would wait until all older ids have had theirs.
        """
        used, in_turns = Counter(self.used), list[tuple[int, int, str]]()
        for number, (id, tenant_id) in enumerate(due):
            used[tenant_id] += 1
            if used[tenant_id] <= self.of_tenant:
                in_turns.append((used[tenant_id], number, id))
        return [id for _, _, id in sorted(in_turns)[: self.free]]


async def run_claimed(
    claim: Callable[[Places], Awaitable[Sequence[T]]], work: Callable[[T], Awaitable[None]], concurrent: int
) -> int:
    """Claims and runs rules or notices until none can be claimed and every claimed one has ended.

    Returns the number of claims. `concurrent` is the number of places. A tenant gets at most half of them, so that its
    slow queries or webhooks leave places for other tenants.

    An error of `work` is logged, and other rules or notices are claimed and run as before. The first of these errors is
    raised when none is left. An error of `claim` is raised when the running work has ended.
    """
    running: dict[asyncio.Task[None], int] = {}
    failure: Exception | None = None
    number, of_tenant = 0, max(1, concurrent // 2)
    try:
        while True:
            places = Places(concurrent - len(running), of_tenant, Counter(running.values()))
            claimed = await claim(places) if places.free else ()
            running |= {asyncio.create_task(_run(work, each)): each.tenant_id for each in claimed}
            number += len(claimed)
            if not running:
                break
            ended, _ = await asyncio.wait(running, timeout=POLL_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            for task in ended:
                del running[task]
            for task in ended:
                try:
                    task.result()
                except Exception as error:  # One rule or notice must not hold up those of other tenants.
                    log.exception("a claimed rule or notice failed", exc_info=error)
                    failure = failure or error
    except asyncio.CancelledError:
        for task in running:
            task.cancel()
        raise
    finally:
        await asyncio.gather(*running, return_exceptions=True)
    if failure is not None:
        raise failure
    return number


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


async def _run(work: Callable[[T], Awaitable[None]], claimed: T) -> None:
    await work(claimed)
