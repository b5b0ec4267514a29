"""The background loop in each loader that holds the disks of the log store under their target."""

import asyncio
from collections.abc import Sequence

import structlog

from ingest.first_failure import FirstFailure
from ingest.leased_loop import LeasedLoop
from ingest.storage.owner import LEASE_NAME, StorageOwner
from ingest.storage.remove import Removal, remove_days
from kit.clickhouse import connect
from kit.clock import Clock
from kit.settings import Settings
from schema.control.database import opened
from schema.control.lease import leased
from schema.control.storage import read_kept_from

log = structlog.get_logger()


class Storage(LeasedLoop):
    """Examines the disks while this loader has the lease, and removes days from the servers that this loader fills.

    A failed run is logged and retried. Loading never waits for it. If a server fails, a run continues with the others.
    """

    def __init__(self, settings: Settings, clock: Clock) -> None:
        super().__init__(settings, clock, "storage", settings.storage_interval_seconds, LEASE_NAME)
        self._owner = StorageOwner(settings, clock)

    def work(self) -> None:
        failures = FirstFailure()
        kept_from = asyncio.run(self._decided(failures))
        for shard in range(self._settings.shards):
            with failures.kept(shard), connect(self._settings, shard=shard) as client:
                _log(remove_days(client, kept_from))
        failures.raise_kept()

    async def _decided(self, failures: FirstFailure) -> dict[int, int]:
        """Returns the first day that each tenant keeps. With the lease, first examines the disks. If that fails,
        releases the lease and returns the earlier decision, so that its days are still removed from the servers that
        answer."""
        async with opened(self._settings.control_plane_url) as engine:
            with failures.kept():
                async with leased(engine, self._lease, self._holder, self._clock.now_ns()) as has_lease:
                    if has_lease:
                        await self._owner.run_once(engine)
                    else:
                        self._owner.pause()
            return await read_kept_from(engine)


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
