"""The background loop in each loader that keeps lanes from getting too many parts."""

import asyncio

from ingest.lanes.owner import LaneOwner
from kit.clock import Clock
from kit.repeating import Repeating
from kit.settings import Settings
from schema.control.database import opened
from schema.control.lease import LANES, leased, new_holder, release_lease


class Lanes(Repeating):
    """Moves tenants from full lanes while this loader has the lease. A failed run is logged, and releases the
    lease. Loading never waits for a run."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        super().__init__("lanes", settings.lane_interval_seconds)
        self._settings = settings
        self._clock = clock
        self._holder = new_holder()
        self._owner = LaneOwner(settings, clock, self._holder)

    def run_once(self) -> None:
        if self._settings.lane_parts:
            asyncio.run(self._relieve())

    async def _relieve(self) -> None:
        now_ns = self._clock.now_ns()
        async with (
            opened(self._settings.control_plane_url) as engine,
            leased(engine, LANES, self._holder, now_ns) as has_lease,
        ):
            if has_lease:
                await self._owner.run_once(engine)
                await release_lease(engine, LANES, self._holder)
