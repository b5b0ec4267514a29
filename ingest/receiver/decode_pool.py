"""Decodes large requests outside the event loop, one at a time for each tenant."""

from collections.abc import Callable
from typing import Final, ParamSpec, TypeVar

from kit.clock import Clock
from kit.errors import RateLimited
from kit.tenant_threads import TenantThreads

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

TURN_SECONDS: Final = 5.0
"""Seconds that a request waits for other requests of its tenant. An exporter's timeout is 10 s."""


class DecodePool:
    """Threads for decoding. One is always free for tenants that need little time, however much others send."""

    def __init__(self, clock: Clock) -> None:
        self._threads = TenantThreads("decode", clock, TURN_SECONDS)

    async def in_thread(
        self, tenant_id: int, work: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Result:
        """Runs `work` in a thread and returns its result or raises its error. Raises RateLimited if the tenant's other
        requests take too long."""
        try:
            return await self._threads.run(tenant_id, work, *args, **kwargs)
        except TimeoutError:
            raise RateLimited(
                "the tenant's large requests arrive faster than they can be decoded; send smaller or fewer requests"
            ) from None

    def close(self) -> None:
        self._threads.close()
