"""Settings of Kafka: brokers, sign-in, topics."""

from pathlib import Path
from typing import Final, Literal, Self

from pydantic import Field, SecretStr, model_validator

from kit.stack_settings import Port, StackSettings

OWN_KAFKA_USER: Final = "logsieve"
"""Kafka user of our clients at the broker that `up` starts."""

MAX_OWN_BROKERS: Final = 3
"""Largest number of brokers that `up` starts."""

KAFKA_PORT_STEP: Final = 2
"""Difference between the ports of a broker that `up` starts and those of the next one."""


class KafkaSettings(StackSettings):
    """Settings of connections to the brokers and of the topics, and the addresses and passwords that they result in."""

    kafka_bootstrap: str | None = Field(
        None,
        min_length=1,
        description="Brokers to use (host:port,…); unset: `up` starts its own, `LOGSIEVE_KAFKA_NODES` of them.",
    )
    kafka_nodes: int = Field(
        1,
        ge=1,
        le=MAX_OWN_BROKERS,
        description="Number of Kafka brokers that `up` starts: 1 or 3. With 3, each message is stored on all three, "
        "and two of them must confirm it. Cannot be changed for a folder with data.",
    )
    kafka_security: Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"] = Field(
        "PLAINTEXT",
        description="Security protocol of the brokers that `LOGSIEVE_KAFKA_BOOTSTRAP` names; SSL and SASL_SSL check "
        "certificates and host names.",
    )
    kafka_sasl_mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"] = Field(
        "PLAIN",
        description="SASL mechanism of Kafka clients, if `LOGSIEVE_KAFKA_SECURITY` is SASL_PLAINTEXT or SASL_SSL.",
    )
    kafka_user: str = Field(
        "logsieve",
        min_length=1,
        description="Kafka user at the brokers that `LOGSIEVE_KAFKA_BOOTSTRAP` names, for PLAIN and SCRAM.",
    )
    kafka_password: SecretStr | None = Field(
        None,
        description="Password of `LOGSIEVE_KAFKA_USER`, also at the broker that `up` starts; unset: the secret that "
        "`up` generated under `LOGSIEVE_HOME`.",
    )
    kafka_ca_file: Path | None = Field(
        None,
        description="PEM file of the authorities that sign the brokers' certificates; unset: the system's authorities.",
    )
    kafka_certificate_file: Path | None = Field(
        None, description="PEM file of the client certificate, if brokers require one (mTLS)."
    )
    kafka_key_file: Path | None = Field(None, description="PEM file of the client certificate's private key.")
    kafka_key_password: SecretStr | None = Field(
        None, description="Password of the private key in `LOGSIEVE_KAFKA_KEY_FILE`, if it has one."
    )
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
        "`up` starts, `lz4` for brokers of `LOGSIEVE_KAFKA_BOOTSTRAP`.",
    )
    kafka_port: Port = Field(
        9092,
        description="Client port of the first broker that `up` starts. Each further broker has a port 2 higher.",
    )
    kafka_controller_port: Port = Field(
        9093,
        description="KRaft controller port of the first broker that `up` starts. Each further broker has a port 2 "
        "higher.",
    )
    kafka_partitions: int = Field(
        4, ge=1, le=65535, description="Number of partitions of the log topic when migrate creates it."
    )
    kafka_topic: str = Field(
        "logs.otlp", description="Log topic: the topic to which receivers write accepted requests."
    )
    kafka_dead_topic: str = Field("logs.dead", description="Topic of messages that could not be loaded.")

    @property
    def kafka_brokers(self) -> str:
        """Addresses of all brokers (host:port,…)."""
        return self.kafka_bootstrap or ",".join(self.own_broker(index) for index in range(self.own_brokers))

    def own_broker(self, index: int) -> str:
        """Returns the client address of one of the brokers that `up` starts; `index` counts from 0."""
        return f"127.0.0.1:{self.port(self.kafka_port) + KAFKA_PORT_STEP * index}"

    @property
    def own_brokers(self) -> int:
        """Number of brokers that `up` starts: LOGSIEVE_KAFKA_NODES if it is set, otherwise the number that `logsieve up
        --brokers` stored, otherwise 1."""
        if "kafka_nodes" not in self.model_fields_set and self.own_brokers_file.exists():
            return int(self.own_brokers_file.read_text())
        return self.kafka_nodes

    @property
    def own_brokers_file(self) -> Path:
        """File in which `up` keeps the number of brokers that it was given."""
        return self.home / "kafka" / "brokers"

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
    def _controllers_can_have_a_majority(self) -> Self:
        if self.kafka_nodes not in (1, MAX_OWN_BROKERS):
            raise ValueError(
                f"LOGSIEVE_KAFKA_NODES is {self.kafka_nodes}: set 1 or {MAX_OWN_BROKERS}, because two brokers stop when"
                " either of them does"
            )
        return self

    @model_validator(mode="after")
    def _own_kafka_has_a_password(self) -> Self:
        secret = self.kafka_password
        if self.kafka_bootstrap is None and secret is not None and not secret.get_secret_value():
            raise ValueError(
                "LOGSIEVE_KAFKA_PASSWORD is empty, but the broker that `logsieve up` starts needs one: set a password,"
                " or unset the setting, so that `logsieve up` generates one"
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
                raise ValueError(f"LOGSIEVE_KAFKA_SASL_MECHANISM {mechanism} needs LOGSIEVE_KAFKA_PASSWORD: set it")
        elif None in (self.kafka_oauth_token_url, self.kafka_oauth_client_id, self.kafka_oauth_client_secret):
            raise ValueError(
                "LOGSIEVE_KAFKA_SASL_MECHANISM OAUTHBEARER needs LOGSIEVE_KAFKA_OAUTH_TOKEN_URL, "
                "LOGSIEVE_KAFKA_OAUTH_CLIENT_ID and LOGSIEVE_KAFKA_OAUTH_CLIENT_SECRET: set all three"
            )
