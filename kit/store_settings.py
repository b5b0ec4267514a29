"""Settings of the stores: the home folder, ClickHouse, Kafka and the control plane's database."""

from pathlib import Path
from typing import Final, Literal, Self

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings

from kit import folders

CLICKHOUSE_PORT_STEP: Final = 10
"""Difference between the ports of one ClickHouse node that `up` starts and those of the next node."""

OWN_KAFKA_USER: Final = "logsieve"
"""Kafka user of our clients at the broker that `up` starts."""


class StoreSettings(BaseSettings):
    """Settings of connections, and the URLs and passwords that follow from them."""

    home: Path = Field(
        folders.HOME,
        description="Folder of all state: data, logs, process ids, keys.json. Outside a checkout: `logsieve` in "
        "XDG_DATA_HOME (~/.local/share).",
    )
    port_offset: int = Field(
        0, ge=0, le=50000, description="Number added to every port, so that two stacks can run on one machine."
    )
    clickhouse_url: str | None = Field(
        None,
        description="HTTP URL of a ClickHouse server to use; unset: `up` starts one. Several URLs, separated by "
        "commas, are shards; their order must not change.",
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
        1, ge=1, le=16, description="ClickHouse nodes that `up` starts; each is a shard with its own part of the logs."
    )
    clickhouse_cluster: str = Field(
        "logsieve",
        pattern=r"^\w+$",
        description="Name of the cluster of all shards in the servers' configuration; needed with several shards.",
    )
    clickhouse_http_port: int = Field(
        8123, description="HTTP port of the first ClickHouse node that `up` starts; the next nodes' are 10 apart."
    )
    clickhouse_native_port: int = Field(
        9000, description="Native port of the first ClickHouse node that `up` starts; the next nodes' are 10 apart."
    )
    clickhouse_user: str = Field("logsieve", description="ClickHouse user of the loader, the backend and migrations.")
    clickhouse_password: SecretStr | None = Field(
        None, description="Password of that user; unset: the secret that `up` generated under home."
    )
    clickhouse_query_user: str = Field(
        "logsieve_query", description="ClickHouse user of searches, which may read one tenant's rows and nothing else."
    )
    clickhouse_query_password: SecretStr | None = Field(
        None, description="Password of that user; unset: the secret that `up` generated under home."
    )
    clickhouse_database: str = Field("logsieve", description="Database that holds the log tables.")
    clickhouse_memory_limit: int = Field(
        6 * 2**30, description="Largest memory of each ClickHouse node that `up` starts, in bytes."
    )

    lanes: int = Field(
        4,
        ge=1,
        le=1000,
        description="Number of log tables (lanes) that migrate creates. New tenants are spread over them. The number "
        "can only grow.",
    )

    index_profile: Literal["tokenbf", "text"] = Field(
        "tokenbf",
        description="Index profile of log tables that migrate creates; `logsieve index use` switches existing tables.",
    )

    kafka_bootstrap: str | None = Field(None, description="Brokers to use (host:port,…); unset: `up` starts one.")
    kafka_security: Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"] = Field(
        "PLAINTEXT",
        description="Security protocol of the brokers that `kafka_bootstrap` names; SSL and SASL_SSL check their "
        "certificates and host names.",
    )
    kafka_sasl_mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"] = Field(
        "PLAIN", description="SASL mechanism of Kafka clients, if `kafka_security` is SASL_PLAINTEXT or SASL_SSL."
    )
    kafka_user: str = Field(
        "logsieve",
        min_length=1,
        description="Kafka user at the brokers that `kafka_bootstrap` names, for PLAIN and SCRAM.",
    )
    kafka_password: SecretStr | None = Field(
        None,
        description="Password of that user, also at the broker that `up` starts; unset: the secret that `up` "
        "generated under home.",
    )
    kafka_ca_file: Path | None = Field(
        None,
        description="PEM file of the authorities that sign the brokers' certificates; unset: the system's authorities.",
    )
    kafka_certificate_file: Path | None = Field(
        None, description="PEM file of the client certificate, if brokers require one (mTLS)."
    )
    kafka_key_file: Path | None = Field(None, description="PEM file of the client certificate's private key.")
    kafka_key_password: SecretStr | None = Field(None, description="Password of the private key, if it has one.")
    kafka_oauth_token_url: str | None = Field(
        None, description="Token endpoint of the OpenID Connect provider, for OAUTHBEARER."
    )
    kafka_oauth_client_id: str | None = Field(None, description="Client id at the OpenID Connect provider.")
    kafka_oauth_client_secret: SecretStr | None = Field(
        None, description="Client secret at the OpenID Connect provider."
    )
    kafka_oauth_scope: str | None = Field(None, description="Scope of the requested tokens, if the provider needs one.")
    kafka_oauth_ca_file: Path | None = Field(
        None,
        description="PEM file of the authorities that sign the provider's certificate; unset: the system's "
        "authorities.",
    )
    kafka_compression: Literal["none", "lz4", "zstd", "snappy", "gzip"] | None = Field(
        None,
        description="Compression of the messages that receivers write to Kafka; unset: `none` for the broker that "
        "`up` starts, `lz4` for brokers of `kafka_bootstrap`.",
    )
    kafka_port: int = Field(9092, description="Client port of the broker that `up` starts.")
    kafka_controller_port: int = Field(9093, description="KRaft controller port of the broker that `up` starts.")
    kafka_partitions: int = Field(
        4, ge=1, le=65535, description="Number of partitions of the topic when migrate creates it."
    )
    kafka_topic: str = Field("logs.otlp", description="Topic that accepted requests are written to.")
    kafka_dead_topic: str = Field("logs.dead", description="Topic of messages that could not be loaded.")

    control_url: str | None = Field(None, description="SQLAlchemy URL of the control plane; unset: SQLite under home.")
    control_refresh_seconds: float = Field(
        2.0, gt=0, le=5, description="Seconds between two reads of tenants and keys by receivers and backends."
    )

    def port(self, base: int) -> int:
        """Returns the port a service actually uses: its base port plus `port_offset`."""
        return base + self.port_offset

    @property
    def clickhouse_http_urls(self) -> tuple[str, ...]:
        """Returns the URLs of the shards, one for each."""
        if self.clickhouse_url is not None:
            return tuple(url.strip().rstrip("/") for url in self.clickhouse_url.split(",") if url.strip())
        first = self.port(self.clickhouse_http_port)
        return tuple(f"http://127.0.0.1:{first + CLICKHOUSE_PORT_STEP * node}" for node in range(self.clickhouse_nodes))

    @property
    def clickhouse_http_url(self) -> str:
        """URL of the first shard. Statements that concern the whole cluster run there."""
        return self.clickhouse_http_urls[0]

    @property
    def shards(self) -> int:
        return len(self.clickhouse_http_urls)

    @property
    def kafka_brokers(self) -> str:
        return self.kafka_bootstrap or f"127.0.0.1:{self.port(self.kafka_port)}"

    @property
    def kafka_protocol(self) -> str:
        """Security protocol to connect with. The broker that `up` starts requires a password once one was generated."""
        if self.kafka_bootstrap is not None:
            return self.kafka_security
        return "SASL_PLAINTEXT" if self.kafka_secret else "PLAINTEXT"

    @property
    def kafka_codec(self) -> str:
        """Compression of the messages that receivers write."""
        return self.kafka_compression or ("none" if self.kafka_bootstrap is None else "lz4")

    @property
    def kafka_account(self) -> str:
        """User to sign in as; the broker that `up` starts has only one."""
        return OWN_KAFKA_USER if self.kafka_bootstrap is None else self.kafka_user

    @property
    def kafka_secret_file(self) -> Path:
        """File in which `up` keeps the generated password of the broker's clients (mode 0600)."""
        return self.home / "secrets" / "kafka-password"

    @property
    def kafka_secret(self) -> str:
        """Password for PLAIN and SCRAM; empty if none is set and none was generated."""
        if self.kafka_password is not None:
            return self.kafka_password.get_secret_value()
        return self.kafka_secret_file.read_text().strip() if self.kafka_secret_file.exists() else ""

    @model_validator(mode="after")
    def _clickhouse_security_is_complete(self) -> Self:
        if (self.clickhouse_certificate_file is None) != (self.clickhouse_key_file is None):
            raise ValueError(
                "LOGSIEVE_CLICKHOUSE_CERTIFICATE_FILE and LOGSIEVE_CLICKHOUSE_KEY_FILE belong together: set both, or "
                "neither"
            )
        files = (self.clickhouse_ca_file, self.clickhouse_certificate_file)
        if any(files) and not all(url.startswith("https://") for url in self.clickhouse_http_urls):
            raise ValueError(
                "LOGSIEVE_CLICKHOUSE_CA_FILE and …_CERTIFICATE_FILE need https:// in LOGSIEVE_CLICKHOUSE_URL"
            )
        return self

    @model_validator(mode="after")
    def _kafka_security_is_complete(self) -> Self:
        if (self.kafka_certificate_file is None) != (self.kafka_key_file is None):
            raise ValueError(
                "LOGSIEVE_KAFKA_CERTIFICATE_FILE and LOGSIEVE_KAFKA_KEY_FILE belong together: set both, or neither"
            )
        tls_files = (self.kafka_ca_file, self.kafka_certificate_file)
        if not self.kafka_security.endswith("SSL") and any(tls_files):
            raise ValueError(
                f"LOGSIEVE_KAFKA_SECURITY is {self.kafka_security}, which uses no certificates: set SSL or SASL_SSL, "
                "or unset LOGSIEVE_KAFKA_CA_FILE, LOGSIEVE_KAFKA_CERTIFICATE_FILE and LOGSIEVE_KAFKA_KEY_FILE"
            )
        if self.kafka_security.startswith("SASL") and self.kafka_bootstrap is not None:
            self._check_kafka_sign_in()
        return self

    def _check_kafka_sign_in(self) -> None:
        mechanism = self.kafka_sasl_mechanism
        if mechanism != "OAUTHBEARER":
            if not self.kafka_secret:
                raise ValueError(f"LOGSIEVE_KAFKA_SASL_MECHANISM {mechanism} needs LOGSIEVE_KAFKA_PASSWORD")
        elif None in (self.kafka_oauth_token_url, self.kafka_oauth_client_id, self.kafka_oauth_client_secret):
            raise ValueError(
                "LOGSIEVE_KAFKA_SASL_MECHANISM OAUTHBEARER needs LOGSIEVE_KAFKA_OAUTH_TOKEN_URL, "
                "LOGSIEVE_KAFKA_OAUTH_CLIENT_ID and LOGSIEVE_KAFKA_OAUTH_CLIENT_SECRET"
            )

    @property
    def control_plane_url(self) -> str:
        return self.control_url or f"sqlite+aiosqlite:///{self.home.resolve() / 'control.db'}"

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
