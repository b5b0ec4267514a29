"""The background loop in each loader that erases deleted tenants while the loader has the lease."""

import asyncio

from ingest.erasure.owner import Owner, lease_name
from ingest.leased_loop import LeasedLoop
from kit.clock import Clock
from kit.settings import Settings
from schema.control.database import opened


class Erasing(LeasedLoop):
    """Erases deleted tenants while this loader has the lease, one run every `erasure_interval_seconds`.

    A failed run is logged, and releases the lease. Loading never waits for a run.
    """

    def __init__(self, settings: Settings, clock: Clock) -> None:
        lease = lease_name(settings.consumer_group)
        super().__init__(settings, clock, "erasure", settings.erasure_interval_seconds, lease)
        self._owner = Owner(settings, clock, self._holder)

    def work(self) -> None:
        asyncio.run(self._run_owner())

    async def _run_owner(self) -> None:
        async with opened(self._settings.control_plane_url) as engine:
            await self._owner.run_once(engine)
