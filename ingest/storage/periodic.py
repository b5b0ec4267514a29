"""The background loop in each loader that holds the disks of the log store under their target."""

import asyncio
from collections.abc import Sequence

import structlog
from sqlalchemy.exc import SQLAlchemyError

from ingest.storage.owner import LEASE_NAME, StorageOwner
from ingest.storage.remove import Removal, remove_days
from kit.clickhouse import connect
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
        except (LogsieveError, SQLAlchemyError, OSError) as error:
            log.warning("disks were not examined", error=_first_line(error))
            return
        for shard in range(self._settings.shards):
            try:
                with connect(self._settings, shard=shard) as client:
                    _log(remove_days(client, kept_from))
            except (LogsieveError, OSError) as error:
                log.warning("days of tenants not removed", shard=shard, error=_first_line(error))

    def ended(self) -> None:
        """Releases the lease, so that another loader can continue immediately."""
        asyncio.run(self._give_up())

    async def _decided(self) -> dict[int, int]:
        """Returns the first day that each tenant keeps. With the lease, first examines the disks. If that fails,
        returns the earlier decision, so that its days are still removed from the servers that answer."""
        async with opened(self._settings.control_plane_url) as engine:
            if await take_lease(engine, LEASE_NAME, self._holder, self._clock.now_ns()):
                try:
                    await self._owner.run_once(engine)
                except (LogsieveError, OSError) as error:
                    log.warning("disks were not examined", error=_first_line(error))
            return await read_kept_from(engine)

    async def _give_up(self) -> None:
        async with opened(self._settings.control_plane_url) as engine:
            await give_up_lease(engine, LEASE_NAME, self._holder)


def _first_line(error: Exception) -> str:
    return str(error).split("\n")[0]


def _log(removals: Sequence[Removal]) -> None:
    for each in removals:
        log.info(
            "days of tenants removed because a disk is full",
            table=each.table,
            cohort=each.cohort,
            day=each.day.isoformat(),
            tenants=list(each.tenants),
            rows=each.rows,
        )
