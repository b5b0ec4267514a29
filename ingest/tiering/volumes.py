"""Reads the volumes on which a ClickHouse server keeps the log tables: the cold one, and the hot ones before it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from clickhouse_connect.driver.client import Client

from schema.clickhouse.tables import LOG_TABLE

_VOLUMES: Final = (
    "SELECT volume_name, disk, lower(type) = 'local', total_space, free_space FROM system.storage_policies"
    " ARRAY JOIN disks AS disk INNER JOIN system.disks ON system.disks.name = disk"
    " WHERE policy_name = (SELECT any(storage_policy) FROM system.tables"
    f" WHERE database = currentDatabase() AND match(name, '^{LOG_TABLE}$'))"
    " ORDER BY volume_priority, disk"
)
_REMOVING: Final = (
    "SELECT disk_name, sum(size) FROM (SELECT disk_name, max(bytes_on_disk) AS size FROM system.parts"
    # Without a condition on `_state`, ClickHouse leaves out parts whose files it is removing. The files of a large part
    # are on the disk for seconds after the part is no longer shown.
    " WHERE _state IN ('Active', 'Outdated', 'Deleting')"
    # A mutation that keeps all rows, such as the build of an index, makes hard links of the files. Removing
    # the version before it frees almost nothing.
    " GROUP BY disk_name, database, table, partition_id, min_block_number, max_block_number, level, rows"
    " HAVING NOT max(active)) GROUP BY disk_name"
)

_SAME_FREE_SHARE: Final = 0.01
"""Largest difference between the free bytes of two folders of one disk, as a share of its size. They are read one after
the other."""


@dataclass(frozen=True, slots=True)
class Disk:
    """A disk of a server. Sizes are in bytes; a disk that is not local, for example S3, has none.

    `removing` are bytes that ClickHouse is about to free: of parts that were merged, rewritten, moved or dropped.
    """

    name: str
    is_local: bool
    total: int = 0
    free: int = 0
    removing: int = 0

    @property
    def used(self) -> int:
        """Bytes in use, without those that are about to be freed."""
        return self.total - self.free - self.removing


@dataclass(frozen=True, slots=True)
class Tiers:
    """The last volume of the log tables' storage policy, its disks, and the disks of the volumes before it."""

    cold_volume: str
    cold: tuple[Disk, ...]
    hot: tuple[Disk, ...]

    @property
    def share_a_disk(self) -> bool:
        """Returns whether a hot and a cold disk seem to be folders of one disk: they have the same size and almost the
        same free bytes."""
        return any(
            one.is_local
            and other.is_local
            and one.total == other.total
            and abs(one.free - other.free) <= one.total * _SAME_FREE_SHARE
            for one in self.hot
            for other in self.cold
        )


def cold_disks(client: Client) -> list[str]:
    """Returns the names of the disks of the cold volume; none without one. Raises clickhouse-connect's Error."""
    tiers = read_tiers(client)
    return [disk.name for disk in tiers.cold] if tiers else []


def read_tiers(client: Client) -> Tiers | None:
    """Returns the volumes of the log tables, without the bytes that are about to be freed. None if their policy has
    only one, or if there are no log tables."""
    rows = client.query(_VOLUMES).result_rows
    if len({volume for volume, *_ in rows}) < 2:
        return None
    cold_volume = str(rows[-1][0])
    cold, hot = list[Disk](), list[Disk]()
    for volume, name, is_local, total, free in rows:
        disk = Disk(str(name), True, int(total), int(free)) if is_local else Disk(str(name), False)
        (cold if volume == cold_volume else hot).append(disk)
    return Tiers(cold_volume, tuple(cold), tuple(hot))


def read_removing(client: Client) -> dict[str, int]:
    """Returns the bytes that ClickHouse is about to free on each disk, by the disk's name: the files of parts that were
    merged, rewritten, moved or dropped. Reads the list of all parts. Raises clickhouse-connect's Error."""
    return {str(name): int(size) for name, size in client.query(_REMOVING).result_rows}


def read_tiers_and_removing(client: Client) -> Tiers | None:
    """Returns the volumes with the bytes that are about to be freed, for which it reads the list of all parts."""
    tiers = read_tiers(client)
    return None if tiers is None else with_removing(tiers, read_removing(client))


def with_removing(tiers: Tiers, removing: Mapping[str, int]) -> Tiers:
    """Returns the volumes with the bytes that are about to be freed on each disk, by the disk's name."""

    def complete(disks: tuple[Disk, ...]) -> tuple[Disk, ...]:
        return tuple(replace(disk, removing=removing.get(disk.name, 0)) if disk.is_local else disk for disk in disks)

    return replace(tiers, cold=complete(tiers.cold), hot=complete(tiers.hot))
