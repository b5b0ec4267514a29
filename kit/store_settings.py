"""Settings of ClickHouse, together with the settings of disks, Kafka and the control plane."""

from pathlib import Path
from typing import Final, Literal, Self

from pydantic import Field, SecretStr, model_validator

from kit.clickhouse_name import ClickHouseName
from kit.control_settings import ControlSettings
from kit.disk_settings import OWN_STORAGE_POLICY, DiskSettings
from kit.kafka_settings import KafkaSettings
from kit.own_nodes import kept_own_nodes
from kit.stack_settings import Port
from kit.topology import MAX_REPLICAS, Topology

CLICKHOUSE_PORT_STEP: Final = 10
"""Difference between the ports of a shard's first ClickHouse node that `up` starts and those of the next shard's."""


class StoreSettings(DiskSettings, KafkaSettings, ControlSettings):
    """Settings of connections, and the URLs and passwords that follow from them."""

    clickhouse_url: str | None = Field(
        None,
        description="HTTP URL of a ClickHouse server to use, with scheme, host and port; unset: `up` starts one. "
        "Without a port: 8123 for http, 8443 for https. Several URLs, separated by commas, are shards, and `|` "
        "separates the replicas of a shard: `http://a|http://b,http://c|http://d`. Their order must not change.",
    )
    clickhouse_ca_file: Path | None = Field(
        None,
        description="PEM file of the authorities that sign the servers' certificates; unset: the system's authorities.",
    )
    clickhouse_certificate_file: Path | None = Field(
        None, description="PEM file of the client certificate, if ClickHouse requires one in addition to the password."
    )
    clickhouse_key_file: Path | None = Field(None, description="PEM file of the client certificate's private key.")
    clickhouse_nodes: int = Field(
        1, ge=1, le=16, description="Shards that `up` starts. It remembers the number, and refuses a smaller one later."
    )
    clickhouse_replicas: int = Field(
        1,
        ge=1,
        le=MAX_REPLICAS,
        description="Replicas of each shard that `up` starts, each a ClickHouse node with all rows of the shard. "
        "`up` remembers the number.",
    )
    query_hedge_percent: float = Field(
        5.0,
        ge=0,
        le=100,
        description="Largest share of an API's statements, in percent, that are also sent to a second replica "
        "because the first one has taken longer than 95 % of recent statements. 0: no statement is sent to a second "
        "replica.",
    )
    loader_replica: int = Field(
        0,
        ge=0,
        description="Replica of ClickHouse that a loader fills: 0 is the first URL of every shard. Loaders of replica "
        "n have the consumer group `LOGSIEVE_LOADER_GROUP`-n.",
    )
    loader_group: str = Field(
        "logsieve-loader",
        min_length=1,
        description="Consumer group of the loaders of replica 0. The group of replica n has this name with `-n` added.",
    )
    clickhouse_cluster: ClickHouseName = Field(
        "logsieve",
        description="Name of the cluster of all shards in the servers' configuration; needed with several shards.",
    )
    clickhouse_http_port: Port = Field(
        8123,
        description="HTTP port of the first ClickHouse node that `up` starts. The port of each further shard is 10 "
        "higher, the port of each further replica of a shard 1 higher.",
    )
    clickhouse_native_port: Port = Field(
        9000,
        description="Native port of the first ClickHouse node that `up` starts. The port of each further shard is 10 "
        "higher, the port of each further replica of a shard 1 higher.",
    )
    clickhouse_user: str = Field("logsieve", description="ClickHouse user of loaders, migrations and commands.")
    clickhouse_password: SecretStr | None = Field(
        None,
        description="Password of `LOGSIEVE_CLICKHOUSE_USER`; unset: the secret that `up` generated under "
        "`LOGSIEVE_HOME`.",
    )
    clickhouse_query_user: str = Field(
        "logsieve_query", description="ClickHouse user of searches, which may read one tenant's rows and nothing else."
    )
    clickhouse_query_password: SecretStr | None = Field(
        None,
        description="Password of `LOGSIEVE_CLICKHOUSE_QUERY_USER`; unset: the secret that `up` generated under "
        "`LOGSIEVE_HOME`.",
    )
    clickhouse_database: str = Field("logsieve", description="Database that holds the log tables.")
    clickhouse_memory_limit: int = Field(
        6 * 2**30, ge=1, description="Largest memory of each ClickHouse node that `up` starts, in bytes."
    )

    lanes: int = Field(
        4,
        ge=1,
        le=1000,
        description="Number of log tables (lanes) that migrate creates. New tenants are spread over them. The number "
        "can only grow.",
    )
    max_lanes: int = Field(
        64,
        ge=1,
        le=1000,
        description="Largest number of lanes. Loaders create more lanes than LOGSIEVE_LANES when lanes are full. The "
        "number can only grow, and takes effect with `logsieve migrate`.",
    )
    lane_parts: int = Field(
        5_000,
        ge=0,
        description="Active parts of a lane on one ClickHouse server above which the lane is full: loaders move about "
        "half of its cohorts, with their tenants' new records, to other lanes. 0: lanes are never full.",
    )
    lane_planning_percent: float = Field(
        50.0,
        gt=0,
        le=100,
        description="Share of planning in the CPU time of a lane's searches within an hour, in percent, above which "
        "the lane is full. Lanes with at most 1,000 parts on a server, and lanes whose searches used less than 10 s of "
        "CPU time, are exempt. 100: all lanes are exempt.",
    )
    lane_interval_seconds: float = Field(
        600.0, gt=0, description="Seconds between two runs in which a loader counts the parts of all lanes."
    )

    index_profile: Literal["tokenbf", "text"] = Field(
        "tokenbf",
        description="Index profile of log tables that migrate creates; `logsieve index use` switches existing tables.",
    )

    loader_late_index: bool = Field(
        True,
        description="True: with profile tokenbf, loaders leave the index on words out of inserts of 4,000 or more rows "
        "per table partition that follow each other within 3 s, and merges build it. This saves CPU time of inserts. "
        "Searches for rare words then read the records of the last seconds without an index.",
    )
    loader_searched_words: bool = Field(
        True,
        description="True: with profile tokenbf, loaders build the index on searched words for table partitions in "
        "which searches for words have used as much CPU time as the build needs. Counts of words are then many times "
        "as fast.",
    )
    minute_counts_rows: int = Field(
        50_000,
        ge=0,
        description="Smallest average number of rows in a log table's parts at which loaders add minute counts to the "
        "table: the number of records of each tenant, minute, severity and service. Charts and `stats` can read "
        "them instead of the records. 0: no further table gets minute counts, and tables that have them keep them.",
    )

    @property
    def readable_lanes(self) -> int:
        """Number of lanes that the user of searches may read."""
        return max(self.lanes, self.max_lanes)

    @property
    def topology(self) -> Topology:
        """Returns the servers of all shards and replicas."""
        if self.clickhouse_url is not None:
            return Topology.read(self.clickhouse_url)
        shards, replicas = self.own_nodes
        first = self.port(self.clickhouse_http_port)
        ports = range(first, first + CLICKHOUSE_PORT_STEP * shards, CLICKHOUSE_PORT_STEP)
        return Topology(
            tuple(tuple(f"http://127.0.0.1:{port + replica}" for replica in range(replicas)) for port in ports)
        )

    @property
    def own_nodes(self) -> tuple[int, int]:
        """Returns the numbers of shards and replicas that `up` starts. A number that the settings lack is the one that
        `up` has kept from an earlier start."""
        shards, replicas = kept_own_nodes(self.home) or (self.clickhouse_nodes, self.clickhouse_replicas)
        return (
            self.clickhouse_nodes if "clickhouse_nodes" in self.model_fields_set else shards,
            self.clickhouse_replicas if "clickhouse_replicas" in self.model_fields_set else replicas,
        )

    @property
    def log_storage_policy(self) -> str | None:
        """Storage policy of the log tables; None if the tables keep their policy."""
        if self.clickhouse_url is not None:
            return self.storage_policy
        return OWN_STORAGE_POLICY if self.own_cold_folder else None

    @property
    def clickhouse_http_urls(self) -> tuple[str, ...]:
        """Returns the URLs of the replica `loader_replica` of the store, one for each shard."""
        return self.topology.of_replica(self.loader_replica)

    def of_replica(self, replica: int) -> Self:
        """Returns the settings of the processes that fill another replica of the store."""
        return self.model_copy(update={"loader_replica": replica})

    @property
    def consumer_group(self) -> str:
        """Consumer group of the loaders of the replica `loader_replica`. It also names that replica of the store."""
        return self.loader_group if self.loader_replica == 0 else f"{self.loader_group}-{self.loader_replica}"

    @property
    def consumer_groups(self) -> tuple[str, ...]:
        """Consumer groups of the loaders of all replicas."""
        return tuple(replica.consumer_group for replica in self.each_replica)

    @property
    def each_replica(self) -> tuple[Self, ...]:
        """Returns the settings for each replica of the store."""
        return tuple(self.of_replica(replica) for replica in range(self.topology.replicas))

    @property
    def clickhouse_http_url(self) -> str:
        """URL of the first shard. Statements that concern the whole cluster run there."""
        return self.clickhouse_http_urls[0]

    @property
    def shards(self) -> int:
        return len(self.topology.shards)

    @model_validator(mode="after")
    def _replica_exists(self) -> Self:
        count = self.topology.replicas
        if self.loader_replica >= count:
            raise ValueError(
                f"LOGSIEVE_LOADER_REPLICA is {self.loader_replica}, and there are {count} replicas, counted from 0: set"
                f" at most {count - 1}"
            )
        return self

    @model_validator(mode="after")
    def _cold_volume_fits_the_servers(self) -> Self:
        if self.cold_folder is not None and self.clickhouse_url is not None:
            raise ValueError(
                "LOGSIEVE_COLD_FOLDER is for the ClickHouse nodes that `up` starts: with LOGSIEVE_CLICKHOUSE_URL, set"
                " LOGSIEVE_STORAGE_POLICY to a storage policy of the servers"
            )
        if self.storage_policy is not None and self.clickhouse_url is None:
            raise ValueError(
                "LOGSIEVE_STORAGE_POLICY is for servers of LOGSIEVE_CLICKHOUSE_URL: for the ClickHouse nodes that `up`"
                " starts, set LOGSIEVE_COLD_FOLDER"
            )
        return self

    @model_validator(mode="after")
    def _own_clickhouse_has_passwords(self) -> Self:
        for secret, name in (
            (self.clickhouse_password, "PASSWORD"),
            (self.clickhouse_query_password, "QUERY_PASSWORD"),
        ):
            if self.clickhouse_url is None and secret is not None and not secret.get_secret_value():
                raise ValueError(
                    f"LOGSIEVE_CLICKHOUSE_{name} is empty, so every user of this machine could read all logs: set a"
                    " password, or unset the setting, so that `logsieve up` generates one"
                )
        return self

    @model_validator(mode="after")
    def _clickhouse_security_is_complete(self) -> Self:
        if (self.clickhouse_certificate_file is None) != (self.clickhouse_key_file is None):
            raise ValueError(
                "LOGSIEVE_CLICKHOUSE_CERTIFICATE_FILE and LOGSIEVE_CLICKHOUSE_KEY_FILE belong together: set both, or "
                "neither"
            )
        files = (self.clickhouse_ca_file, self.clickhouse_certificate_file)
        if any(files) and not all(url.startswith("https://") for urls in self.topology.shards for url in urls):
            raise ValueError(
                "LOGSIEVE_CLICKHOUSE_CA_FILE and …_CERTIFICATE_FILE need https:// in LOGSIEVE_CLICKHOUSE_URL"
            )
        return self

    @property
    def clickhouse_secret_file(self) -> Path:
        """File in which `up` keeps the generated ClickHouse password (mode 0600)."""
        return self.home / "secrets" / "clickhouse-password"

    @property
    def clickhouse_query_secret_file(self) -> Path:
        """File in which `up` keeps the generated password of the query user (mode 0600)."""
        return self.home / "secrets" / "clickhouse-query-password"

    @property
    def clickhouse_query_secret(self) -> str:
        """Password of the query user; empty if none is set and none was generated."""
        if self.clickhouse_query_password is not None:
            return self.clickhouse_query_password.get_secret_value()
        return (
            self.clickhouse_query_secret_file.read_text().strip() if self.clickhouse_query_secret_file.exists() else ""
        )

    @property
    def clickhouse_secret(self) -> str:
        """ClickHouse password to connect with; empty if none is set and none was generated."""
        if self.clickhouse_password is not None:
            return self.clickhouse_password.get_secret_value()
        return self.clickhouse_secret_file.read_text().strip() if self.clickhouse_secret_file.exists() else ""
