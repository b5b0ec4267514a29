"""The background loop in each loader that keeps lanes from getting too many parts."""

import asyncio

from ingest.lanes.owner import LaneOwner
from ingest.leased_loop import LeasedLoop
from kit.clock import Clock
from kit.settings import Settings
from schema.control.database import opened
from schema.control.lease import LANES, leased, release_lease


class Lanes(LeasedLoop):
    """Moves tenants from full lanes while this loader has the lease. A failed run is logged. Loading never waits for a
    run.

    Each run releases the lease at its end, because `logsieve migrate` waits for it.
    """

    def __init__(self, settings: Settings, clock: Clock) -> None:
        super().__init__(settings, clock, "lanes", settings.lane_interval_seconds, LANES)
        self._owner = LaneOwner(settings, clock, self._holder)

    def work(self) -> None:
        if self._settings.lane_parts:
            asyncio.run(self._relieve())

    async def _relieve(self) -> None:
        async with (
            opened(self._settings.control_plane_url) as engine,
            leased(engine, self._lease, self._holder, self._clock.now_ns()) as has_lease,
        ):
            if has_lease:
                await self._owner.run_once(engine)
                await release_lease(engine, self._lease, self._holder)
