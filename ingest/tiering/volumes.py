"""Reads the volumes on which a ClickHouse server keeps the log tables: the cold one, and the hot ones before it."""

from dataclasses import dataclass
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
_REMOVING: Final = "SELECT sum(bytes_on_disk) FROM system.parts WHERE NOT active AND disk_name IN {disks:Array(String)}"


@dataclass(frozen=True, slots=True)
class Disk:
    """A disk of a server, with its total and free bytes. Both are 0 for a disk without a known size, for example S3."""

    name: str
    total: int = 0
    free: int = 0

    @property
    def used(self) -> int:
        return self.total - self.free


@dataclass(frozen=True, slots=True)
class Tiers:
    """The last volume of the log tables' storage policy, its disks, and the disks of the volumes before it.

    `removing` are the bytes on the hot disks that ClickHouse is about to free: of parts that were replaced or moved.
    """

    cold_volume: str
    cold: tuple[Disk, ...]
    hot: tuple[Disk, ...]
    removing: int = 0

    @property
    def share_a_disk(self) -> bool:
        """Returns whether hot and cold disks seem to be folders of one disk: they have the same size."""
        return bool({disk.total for disk in self.hot if disk.total} & {disk.total for disk in self.cold})


def read_tiers(client: Client) -> Tiers | None:
    """Returns the volumes of the log tables; None if their policy has only one, or if there are no log tables."""
    rows = client.query(_VOLUMES).result_rows
    if len({volume for volume, *_ in rows}) < 2:
        return None
    cold_volume = str(rows[-1][0])
    cold, hot = list[Disk](), list[Disk]()
    for volume, name, is_local, total, free in rows:
        disk = Disk(str(name), int(total), int(free)) if is_local else Disk(str(name))
        (cold if volume == cold_volume else hot).append(disk)
    removing = client.query(_REMOVING, parameters={"disks": [disk.name for disk in hot]}).result_rows[0][0]
    return Tiers(cold_volume, tuple(cold), tuple(hot), int(removing))
