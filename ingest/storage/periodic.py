"""The background loop in each loader that holds the disks of the log store under their target."""

import asyncio

import structlog
from sqlalchemy.exc import SQLAlchemyError

from ingest.storage.owner import LEASE_NAME, StorageOwner
from ingest.storage.remove import remove_days
from kit.clickhouse import connect_shards
from kit.clock import Clock
from kit.errors import LogsieveError
from kit.repeating import Repeating
from kit.settings import Settings
from schema.control.database import opened
from schema.control.lease import give_up_lease, take_lease, this_process
from schema.control.storage import read_kept_from

log = structlog.get_logger()


class Storage(Repeating):
    """Examines the disks while this loader has the lease, and removes days from the servers that this loader fills.

    A failed run is logged and retried. Loading never waits for it.
    """

    def __init__(self, settings: Settings, clock: Clock) -> None:
        super().__init__("storage", settings.storage_interval_seconds)
        self._settings = settings
        self._clock = clock
        self._holder = this_process()
        self._owner = StorageOwner(settings, clock)

    def run_once(self) -> None:
        try:
            kept_from = asyncio.run(self._decided())
            with connect_shards(self._settings) as shards:
                removals = [each for client in shards for each in remove_days(client, kept_from)]
        except (LogsieveError, SQLAlchemyError, OSError) as error:
            log.warning("disks were not examined", error=str(error).split("\n")[0])
            return
        for each in removals:
            log.info(
                "days of tenants removed because a disk is full",
                table=each.table,
                cohort=each.cohort,
                day=each.day.isoformat(),
                tenants=list(each.tenants),
                rows=each.rows,
            )

    def ended(self) -> None:
        """Releases the lease, so that another loader can continue immediately."""
        asyncio.run(self._give_up())

    async def _decided(self) -> dict[int, int]:
        async with opened(self._settings.control_plane_url) as engine:
            if await take_lease(engine, LEASE_NAME, self._holder, self._clock.now_ns()):
                await self._owner.run_once(engine)
            return await read_kept_from(engine)

    async def _give_up(self) -> None:
        async with opened(self._settings.control_plane_url) as engine:
            await give_up_lease(engine, LEASE_NAME, self._holder)
