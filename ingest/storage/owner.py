"""Examines the disks of all servers, stores the report, and lets tenants that exceed their share keep fewer days."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from urllib.parse import urlsplit

import structlog
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error
from sqlalchemy.ext.asyncio import AsyncEngine

from ingest.retention.run import agreed_time
from ingest.storage.decide import Measured, Situation, decide
from ingest.storage.measure import TenantBytesReader, Volume, read_log_volume
from ingest.storage.shown import ShownReport
from kit.clickhouse import connect, translate
from kit.clock import Clock
from kit.errors import LogsieveError
from kit.settings import Settings
from kit.topology import Place
from schema.control.changes import changing, this_user
from schema.control.erasures import read_erasures
from schema.control.storage import EPOCH, StorageReport, keep_from, read_kept_tenants, save_report

log = structlog.get_logger()

LEASE_NAME = "storage"


@dataclass(frozen=True, slots=True)
class _Measurement:
    """Servers that can be planned, the current UTC day since the Unix epoch by the slowest clock, and the error of a
    server that makes a report incomplete."""

    servers: list[Measured]
    today: int
    failure: LogsieveError | None


class StorageOwner:
    """Examines the disks in repeated runs. Remembers row counts of parts between runs."""

    def __init__(self, settings: Settings, clock: Clock, probe: Callable[[Client], Volume] = read_log_volume) -> None:
        """`probe` returns the volume of a server."""
        self._read_volume = probe
        self._settings = settings
        self._clock = clock
        self._readers: dict[Place, TenantBytesReader] = {}
        self._shown = ShownReport()

    async def run_once(self, engine: AsyncEngine) -> StorageReport:
        """Stores the days that tenants keep, then the report. Returns the report.

        A server that does not answer is left out, and so are all servers on its machine. If one of those answers, or if
        no replica of a shard answers, stores the days that the remaining servers let tenants keep, and no report. Then
        raises the error of the server: Unavailable, or Conflict if clocks differ. Raises SQLAlchemyError while the
        control plane is unreachable.
        """
        async with engine.connect() as connection:
            tenants = await read_kept_tenants(connection)
            erasing = [
                frozenset(each.tenant_id for each in await read_erasures(connection, store, unfinished_only=True))
                for store in self._settings.consumer_groups
            ]
        measured = self._measure(erasing)
        decision = decide(Situation(measured.servers, tenants, self._settings, measured.today), self._clock.now_ns())
        if decision.kept_from:
            async with changing(engine, self._clock, this_user()) as change:
                for tenant_id, day in sorted(decision.kept_from.items()):
                    await keep_from(change, tenant_id, tenants[tenant_id], day)
        _show_losses(decision.kept_from)
        if measured.failure is not None:
            # A report would lack bytes of a shard, or a volume.
            raise measured.failure
        async with engine.begin() as connection:
            await save_report(connection, decision.report)
        self._shown.show(decision.report)
        return decision.report

    def pause(self) -> None:
        """Ends the display of the last report in metrics until the next run, because another process has the lease."""
        self._shown.hide()

    def _measure(self, erasing: Sequence[frozenset[int]]) -> "_Measurement":
        """Measures all servers. `erasing` has the tenants that are being erased from each replica of the store.

        Raises the first error of a server if no server can be planned.
        """
        servers: list[Measured] = []
        days: list[int] = []
        failures: dict[Place, LogsieveError] = {}
        topology = self._settings.topology
        for place in topology.places:
            try:
                server, day = self._measure_server(place, erasing[place.replica])
            except LogsieveError as error:
                failures[place] = error
                log.warning("disk of a server not examined", shard=place.shard, error=error.detail)
            else:
                servers.append(server)
                days.append(day)
        # On a volume that servers share, the logs of a server that does not answer would count as other files, and
        # tenants would lose days for them.
        hosts = {urlsplit(topology.url(place)).hostname for place in failures}
        planned = [each for each in servers if urlsplit(each.url).hostname not in hosts]
        first = next(iter(failures.values()), None)
        if first is not None and not planned:
            raise first
        answering = {each.shard for each in servers}
        of_absent = [error for place, error in failures.items() if place.shard not in answering]
        failure = first if len(planned) < len(servers) else next(iter(of_absent), None)
        return _Measurement(planned, min(days), failure)

    def _measure_server(self, place: Place, erasing: frozenset[int]) -> tuple[Measured, int]:
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
        # The eraser removes the rows of deleted tenants within minutes. Rows that a receiver without a control plane
        # accepted later stay until their retention ends, and count as other files.
        leaving = sum(sum(days.values()) for tenant, days in stored.items() if tenant in erasing)
        volume = replace(volume, removing=volume.removing + leaving)
        url = self._settings.topology.url(place)
        return Measured(url, place.shard, volume, stored), (now.date() - EPOCH).days


def _show_losses(kept_from: Mapping[int, int]) -> None:
    for tenant_id, day in kept_from.items():
        first = (EPOCH + timedelta(days=day)).isoformat()
        log.warning("tenant loses its oldest days because a disk is full", tenant_id=tenant_id, kept_from=first)
