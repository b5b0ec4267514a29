"""Examines the disks of all servers, stores the report, and lets tenants that exceed their share keep fewer days."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import structlog
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error
from sqlalchemy.ext.asyncio import AsyncEngine

from ingest.retention.run import agreed_time
from ingest.storage.decide import Decision, Measured, Situation, decide
from ingest.storage.measure import TenantBytesReader, Volume, read_log_volume
from kit import metrics
from kit.clickhouse import connect, translate
from kit.clock import Clock
from kit.errors import LogsieveError
from kit.settings import Settings
from kit.topology import Place
from schema.control.changes import changing, this_user
from schema.control.erasures import read_deleted
from schema.control.storage import EPOCH, StorageReport, keep_from, read_kept_tenants, save_report

log = structlog.get_logger()

LEASE_NAME = "storage"


class StorageOwner:
    """Examines the disks in repeated runs. Remembers row counts of parts between runs."""

    def __init__(self, settings: Settings, clock: Clock, probe: Callable[[Client], Volume] = read_log_volume) -> None:
        """`probe` returns the volume of a server."""
        self._read_volume = probe
        self._settings = settings
        self._clock = clock
        self._readers: dict[Place, TenantBytesReader] = {}

    async def run_once(self, engine: AsyncEngine) -> StorageReport:
        """Stores the days that tenants keep, then the report. Returns the report.

        A replica that does not answer is left out. Raises its error if no replica of its shard answers: Unavailable,
        or Conflict if clocks differ. Raises SQLAlchemyError while the control plane is unreachable.
        """
        async with engine.connect() as connection:
            tenants = await read_kept_tenants(connection)
            deleted = await read_deleted(connection)
        servers, today = self._measure(deleted)
        decision = decide(Situation(servers, tenants, self._settings, today), self._clock.now_ns())
        if decision.kept_from:
            async with changing(engine, self._clock, this_user()) as change:
                for tenant_id, day in sorted(decision.kept_from.items()):
                    await keep_from(change, tenant_id, tenants[tenant_id], day)
        async with engine.begin() as connection:
            await save_report(connection, decision.report)
        _show(decision)
        return decision.report

    def _measure(self, deleted: frozenset[int]) -> tuple[list[Measured], int]:
        """Returns the servers that answer, and the current UTC day since the Unix epoch by the slowest clock."""
        servers: list[Measured] = []
        days: list[int] = []
        failures: dict[int, LogsieveError] = {}
        for place in self._settings.topology.places:
            try:
                server, day = self._measure_server(place, deleted)
            except LogsieveError as error:
                failures[place.shard] = error
                log.warning("disk of a server not examined", shard=place.shard, error=error.detail)
            else:
                servers.append(server)
                days.append(day)
        for shard in failures.keys() - {each.shard for each in servers}:
            raise failures[shard]
        return servers, min(days)

    def _measure_server(self, place: Place, deleted: frozenset[int]) -> tuple[Measured, int]:
        settings = self._settings.of_replica(place.replica)
        reader = self._readers.setdefault(place, TenantBytesReader(self._clock))
        with connect(settings, shard=place.shard) as client:
            try:
                now = agreed_time(client, self._clock)
                # The volume is read last. If a deletion ends in between, its rows count twice as about to be freed, and
                # days are removed one run later. In the other order, they would count as logs that stay.
                stored = reader.read(client)
                volume = self._read_volume(client)
            except Error as error:
                raise translate(error) from error
        # The eraser removes the rows of deleted tenants within minutes.
        leaving = sum(sum(days.values()) for tenant, days in stored.items() if tenant in deleted)
        volume = replace(volume, removing=volume.removing + leaving)
        url = self._settings.topology.url(place)
        return Measured(url, place.shard, volume, stored), (now.date() - EPOCH).days


def _show(decision: Decision) -> None:
    for tenant_id, day in decision.kept_from.items():
        kept_from = (EPOCH + timedelta(days=day)).isoformat()
        log.warning("tenant loses its oldest days because a disk is full", tenant_id=tenant_id, kept_from=kept_from)
    for each in decision.report.volumes:
        labels = {"server": each.server}
        metrics.gauge(metrics.STORAGE_USED).set(each.used_percent / 100, labels)
        metrics.gauge(metrics.STORAGE_OVER).set(each.over, labels)
    losing = sum(each.loss is not None for each in decision.report.tenants.values())
    metrics.gauge(metrics.STORAGE_LOSING).set(losing)
