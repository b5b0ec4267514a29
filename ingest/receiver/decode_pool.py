"""Decodes large requests outside the event loop, one at a time for each tenant."""

from collections.abc import Callable
from typing import Final, TypeVar

from kit.clock import Clock
from kit.errors import RateLimited
from kit.tenant_threads import TenantThreads

Result = TypeVar("Result")

TURN_SECONDS: Final = 5.0
"""Seconds that a request waits for other requests of its tenant. An exporter's timeout is 10 s."""


class DecodePool:
    """Threads for decoding. Slow work, and work of tenants that have used much processor time lately, never takes the
    last free thread, so that other work need not wait for it."""

    def __init__(self, clock: Clock) -> None:
        self._threads = TenantThreads("decode", clock)

    async def in_thread(self, tenant_id: int, work: Callable[[], Result], *, may_be_slow: bool = False) -> Result:
        """Runs `work` in a thread and returns its result or raises its error. `may_be_slow` says that it may take
        seconds. Raises RateLimited if the tenant's other requests take too long."""
        try:
            return await self._threads.run(tenant_id, work, may_be_slow=may_be_slow, turn_seconds=TURN_SECONDS)
        except TimeoutError:
            raise RateLimited(
                "the tenant's large requests arrive faster than they can be decoded; send smaller or fewer requests"
            ) from None

    def close(self) -> None:
        self._threads.close()
