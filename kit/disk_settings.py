"""Settings of the disks of ClickHouse: how full they may get, and where old records are."""

from pathlib import Path
from typing import Final

from pydantic import Field

from kit.clickhouse_name import ClickHouseName
from kit.stack_settings import StackSettings

OWN_STORAGE_POLICY: Final = "hot_and_cold"
"""Storage policy of the ClickHouse nodes that `up` starts with a cold folder."""


class DiskSettings(StackSettings):
    """Settings of the disks of ClickHouse."""

    storage_target_percent: float = Field(
        90.0,
        gt=0,
        le=100,
        description="Used share of a ClickHouse volume, in percent, above which tenants that exceed their fair share "
        "lose their oldest days. 100: no tenant loses days.",
    )
    storage_guaranteed_bytes: int = Field(
        2**30,
        ge=0,
        description="Bytes on disk that every tenant keeps on a shard, however full the shard's volume is. There is "
        "one exception: a day that is larger than the tenant's whole fair share can be removed. Days that a tenant "
        "loses because of one shard are lost on every shard, so fewer bytes may be left on other shards.",
    )
    storage_guaranteed_days: int = Field(
        1, ge=1, description="Newest UTC days, today included, that no tenant loses however full a volume is."
    )
    storage_interval_seconds: float = Field(
        60.0,
        gt=0,
        description="Seconds between two runs in which a loader checks how full the disks of ClickHouse are, and "
        "moves partitions to the cold volume.",
    )
    loader_stop_percent: float = Field(
        95.0,
        gt=0,
        le=100,
        description="Used share of a ClickHouse volume that inserts write to, in percent, at which loaders stop "
        "inserting and keep their positions in Kafka until there is room again.",
    )

    storage_policy: ClickHouseName | None = Field(
        None,
        description="Storage policy, from the configuration of the ClickHouse servers, that migrate gives the log "
        "tables. Its last volume is the cold one. Set it wherever migrate runs; unset: the tables keep their policy.",
    )
    cold_after_days: int = Field(
        0,
        ge=0,
        le=36_500,
        description="Days after the end of a UTC day until loaders move its partitions to the cold volume. While hot "
        "disks exceed LOGSIEVE_STORAGE_TARGET_PERCENT, partitions move earlier. 0: partitions move only when "
        "hot disks exceed it.",
    )
    cold_folder: Path | None = Field(
        None,
        description="Folder for the cold volumes of the ClickHouse nodes that `up` starts, on another disk. `up` "
        "remembers it: the folder stays in use if the setting is unset later, and `up` refuses another folder.",
    )

    @property
    def own_cold_folder(self) -> Path | None:
        """Folder of the cold volumes of the nodes that `up` starts: LOGSIEVE_COLD_FOLDER if it is set, otherwise the
        remembered one. None without either."""
        if self.cold_folder is not None:
            return self.cold_folder.resolve()
        return Path(self.own_cold_folder_file.read_text().strip()) if self.own_cold_folder_file.exists() else None

    @property
    def own_cold_folder_file(self) -> Path:
        """File in which `up` keeps the folder of the cold volumes."""
        return self.home / "clickhouse" / "cold-folder"
