"""Settings of Logsieve's own logs and traces."""

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings

from kit.web_addresses import EndpointUrl


class SelfTelemetrySettings(BaseSettings):
    """Receivers of the logs and traces of Logsieve's own processes."""

    self_logs: bool = Field(
        False,
        description="True: receivers, loaders, the API and the alert worker send Logsieve's own logs into Logsieve "
        "under tenant _self. Unset: they do if `up` starts them.",
    )
    self_ingest_key: SecretStr | None = Field(
        None,
        description="Ingest key of tenant _self, which `LOGSIEVE_SELF_LOGS` needs. Unset: the key that `up` created, "
        "for the processes that `up` starts.",
    )
    self_logs_url: EndpointUrl | None = Field(
        None,
        description="OTLP/HTTP URL of the receiver to which Logsieve sends its own logs, such as "
        "`http://receiver:4318/v1/logs`; unset: the receiver on the same machine, at 127.0.0.1, or at "
        "`LOGSIEVE_BIND_HOST` if `up` starts it. If `LOGSIEVE_TLS_CERT_FILE` is set, an https receiver must have this "
        "certificate.",
    )
    traces_endpoint: EndpointUrl | None = Field(
        None,
        description="OTLP/HTTP URL to which Logsieve sends its own traces, such as `http://collector:4318/v1/traces`; "
        "unset: it sends none.",
    )

    @property
    def self_key(self) -> str:
        """Key with which this process sends its own logs; empty if none is set."""
        return "" if self.self_ingest_key is None else self.self_ingest_key.get_secret_value()
