"""Measures the volume of a ClickHouse server, and the bytes of each tenant and day on it.

ClickHouse knows the bytes of a partition, which several tenants may share. A tenant's part of it is estimated from its
number of rows there and the mean size of its records.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from clickhouse_connect.driver.client import Client

from ingest.retention.partitions import stored_partitions
from ingest.storage.part_rows import PartRowsReader
from ingest.storage.unfinished_parts import read_unfinished
from ingest.tiering.volumes import Tiers, read_removing, read_tiers, with_removing
from kit.clock import Clock
from schema.clickhouse.fields_rollup import fields_table
from schema.clickhouse.lanes import existing_lanes
from schema.clickhouse.tables import table_name
from schema.control.storage import EPOCH
from schema.usage import TABLE as USAGE_TABLE

UNKNOWN_RECORD_BYTES: Final = 1_000.0
"""Mean size in bytes that is assumed for the records of a tenant without usage."""

RECORD_BYTES_SECONDS: Final = 3_600.0
"""Seconds after which the mean sizes of records are read again, because the usage table has a row for each minute."""

_DISKS: Final = (
    "SELECT total_space, free_space FROM system.disks WHERE lower(type) = 'local' AND (name = 'default' OR name IN"
    " (SELECT arrayJoin(disks) FROM system.storage_policies WHERE policy_name IN"
    " (SELECT storage_policy FROM system.tables WHERE database = currentDatabase())))"
)
"""The disks of Logsieve's tables, and the disk `default`, which has the server's own files. Others, for example for
backups, may be full."""

TenantBytes = dict[int, dict[int, int]]
"""Estimated bytes on disk, by tenant and UTC day since the Unix epoch."""


@dataclass(frozen=True, slots=True)
class Volume:
    """Total and free bytes of a volume of a server.

    `removing` are the bytes on it that ClickHouse is about to free: replaced parts, rows of deleted tenants, and
    as many bytes as unfinished parts have, because they will replace others.
    """

    total: int
    free: int
    removing: int = 0

    @property
    def used_share(self) -> float:
        return 1 - self.free / self.total if self.total else 0.0


def read_volume(client: Client) -> Volume:
    """Returns the fullest local volume that inserts write to, or that has the server's own files, without `removing`.
    Its total is 0 if there is none."""
    return _fullest(client, read_tiers(client))


def _fullest(client: Client, tiers: Tiers | None) -> Volume:
    if tiers is not None:
        volumes = [Volume(disk.total, disk.free) for disk in tiers.hot]
    else:
        volumes = [Volume(int(total), int(free)) for total, free in client.query(_DISKS).result_rows]
    return max(volumes, key=lambda each: each.used_share, default=Volume(0, 0))


def read_log_volume(client: Client) -> Volume:
    """Returns the volume that limits how many logs the server can keep. Its `removing` has the bytes of parts that were
    merged, rewritten, moved or dropped and whose files are not removed yet, and the bytes of unfinished parts.

    It is the fullest local volume. Where the log tables have a cold volume, it is the sum of the hot and the cold
    disks, because old days move to the cold ones. Its total is 0, for no limit, if a disk is not local, for example S3.
    """
    # Read in this order, a part that is finished or removed in between counts twice as about to be freed, and days are
    # removed one run later. In another order, it would not count at all, and tenants would lose days for it.
    unfinished = read_unfinished(client)
    removing = read_removing(client)
    tiers = read_tiers(client)
    if tiers is None:
        volume = replace(_fullest(client, tiers), removing=sum(removing.values()))
    else:
        volume = _sum_of(with_removing(tiers, removing))
    return replace(volume, removing=volume.removing + unfinished)


def _sum_of(tiers: Tiers) -> Volume:
    both = (*tiers.hot, *tiers.cold)
    if not all(disk.is_local for disk in both):
        return Volume(0, 0)
    disks = tiers.hot if tiers.share_a_disk else both
    removing = sum(disk.removing for disk in both)
    return Volume(sum(disk.total for disk in disks), sum(disk.free for disk in disks), removing)


class TenantBytesReader:
    """Reads the bytes of each tenant and day on one server.

    Remembers the tenants' rows in each part, so that old days are read only once.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._rows = PartRowsReader()
        self._record_bytes: Mapping[int, float] = {}
        self._record_bytes_read_at: float | None = None

    def read(self, client: Client) -> TenantBytes:
        """Returns the estimated bytes on disk of each tenant on each UTC day, in log tables and fields tables together.

        Raises clickhouse-connect's Error.
        """
        partitions = stored_partitions(client)
        logs = {table_name(lane): fields_table(lane) for lane in existing_lanes(client)}
        sizes = {(each.table, each.id): each.bytes for each in partitions}
        log_partitions = [each for each in partitions if each.table in logs]
        counted = self._rows.read(client, logs.keys())
        self._read_record_bytes(client)
        found: TenantBytes = defaultdict(dict)
        for each in log_partitions:
            size = each.bytes + sizes.get((logs[each.table], each.id), 0)
            day = (each.day - EPOCH).days
            rows = counted.get((each.table, each.id), {})
            for tenant_id, part in split(size, rows, self._record_bytes).items():
                found[tenant_id][day] = found[tenant_id].get(day, 0) + part
        return dict(found)

    def _read_record_bytes(self, client: Client) -> None:
        """Reads the mean bytes of each tenant's accepted records of the last seven days, as OTLP protobuf."""
        now = self._clock.monotonic()
        if self._record_bytes_read_at is not None and now - self._record_bytes_read_at < RECORD_BYTES_SECONDS:
            return
        rows = client.query(
            f"SELECT tenant_id, sum(bytes) / sum(records) FROM {USAGE_TABLE}"
            " WHERE minute > now() - toIntervalDay(7) AND outcome = 'accepted'"
            " GROUP BY tenant_id HAVING sum(records) > 0 AND sum(bytes) > 0"
        ).result_rows
        self._record_bytes = {int(tenant_id): float(mean) for tenant_id, mean in rows}
        self._record_bytes_read_at = now


def split(size: int, rows: Mapping[int, int], record_bytes: Mapping[int, float]) -> dict[int, int]:
    """Returns the part of each tenant in a partition of `size` bytes, by its rows and the mean size of its records."""
    weights = {tenant: count * record_bytes.get(tenant, UNKNOWN_RECORD_BYTES) for tenant, count in rows.items()}
    total = sum(weights.values())
    return {tenant: int(size * weight / total) for tenant, weight in weights.items()} if total else {}
