"""The background loop in each loader that erases deleted tenants while the loader has the lease."""

import asyncio

from ingest.erasure.owner import Owner, lease_name
from kit.clock import Clock
from kit.repeating import Repeating
from kit.settings import Settings
from schema.control.database import opened
from schema.control.lease import new_holder, release_lease


class Erasing(Repeating):
    """Erases deleted tenants while this loader has the lease, one run every `erasure_interval_seconds`.

    A failed run is logged, and releases the lease. Loading never waits for a run.
    """

    def __init__(self, settings: Settings, clock: Clock) -> None:
        super().__init__("erasure", settings.erasure_interval_seconds)
        self._settings = settings
        self._holder = new_holder()
        self._owner = Owner(settings, clock, self._holder)

    def run_once(self) -> None:
        asyncio.run(self._run_owner())

    def ended(self) -> None:
        """Releases the lease, so that another loader can continue immediately."""
        asyncio.run(self._release())

    async def _run_owner(self) -> None:
        async with opened(self._settings.control_plane_url) as engine:
            await self._owner.run_once(engine)

    async def _release(self) -> None:
        async with opened(self._settings.control_plane_url) as engine:
            await release_lease(engine, lease_name(self._settings.consumer_group), self._holder)
