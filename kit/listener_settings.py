"""Settings of the listening ports: their address, and what a client may use, before and after its key is known."""

from pathlib import Path
from typing import Self

from pydantic import Field, model_validator
from pydantic_settings import BaseSettings

from kit.networks import Networks
from kit.stack_settings import Port


class ListenerSettings(BaseSettings):
    """Address, limits and certificates of every listening port."""

    bind_host: str = Field(
        "127.0.0.1",
        min_length=1,
        description="Address on which the receiver, the API and the operations ports listen. `0.0.0.0`: all IPv4 "
        "addresses; `::`: all IPv4 and IPv6 addresses.",
    )
    http_head_max_bytes: int = Field(
        64 * 2**10, ge=4096, description="Largest request line and headers of an HTTP request together, in bytes."
    )
    http_head_seconds: float = Field(
        10.0, gt=0, description="Seconds within which the headers of an HTTP request must arrive."
    )
    http_body_seconds: float = Field(
        30.0,
        gt=0,
        description="Seconds within which an HTTP request's body must arrive after its headers. Once 4 KiB of "
        "an OTLP body have arrived, the rest must arrive within 10 s.",
    )
    http_idle_seconds: float = Field(
        75.0, ge=1, description="Seconds that an HTTP connection may be idle between two requests."
    )
    http_stall_seconds: float = Field(
        300.0, gt=0, description="Seconds that an HTTP answer waits for a client that does not read it."
    )
    grpc_idle_seconds: float = Field(
        300.0, ge=1, description="Seconds that a gRPC connection may be open without a call."
    )
    connections_max: int = Field(
        4096,
        ge=16,
        description="Largest number of open connections of each port in one process. The port accepts fewer "
        "connections if the process may open fewer files.",
    )
    connections_per_address: int = Field(
        1024,
        ge=0,
        description="Largest number of open connections of each port from one IPv4 address or IPv6 /64 network; 0: no "
        "limit.",
    )
    trusted_proxies: str = Field(
        "",
        description="Addresses and networks (CIDR) of proxies, separated by commas. The limit per address does not "
        "apply to them, and their X-Forwarded-For names the client.",
    )
    tls_cert_file: Path | None = Field(
        None,
        description="PEM file with the certificate chain of OTLP/HTTP, OTLP/gRPC and the REST API, which then accept "
        "only TLS. Read again when it changes.",
    )
    tls_key_file: Path | None = Field(None, description="PEM file with the certificate's private key, not encrypted.")
    tls_client_ca_file: Path | None = Field(
        None, description="PEM file with the CAs of the client certificates that OTLP clients must have (mutual TLS)."
    )
    tls_client_cert_file: Path | None = Field(
        None,
        description="PEM file with the client certificate with which Logsieve sends its own logs and sample logs, if "
        "`LOGSIEVE_TLS_CLIENT_CA_FILE` is set.",
    )
    tls_client_key_file: Path | None = Field(
        None, description="PEM file with that certificate's private key, not encrypted."
    )

    api_workers: int = Field(
        1,
        ge=1,
        le=64,
        description="Number of API processes on the API's port. Limits on searches, exports and tails are divided "
        "between them.",
    )
    api_ops_port: Port = Field(
        8200,
        description="Port of the first API worker's /healthz, /readyz and /metrics, if there are several workers; "
        "worker n, counted from 0, uses this port plus n. /readyz there checks no dependency.",
    )

    @model_validator(mode="after")
    def _own_client_certificate_is_complete(self) -> Self:
        if (self.tls_client_cert_file is None) != (self.tls_client_key_file is None):
            raise ValueError(
                "LOGSIEVE_TLS_CLIENT_CERT_FILE and LOGSIEVE_TLS_CLIENT_KEY_FILE belong together: set both, or neither"
            )
        return self

    @model_validator(mode="after")
    def _proxies_are_networks(self) -> Self:
        try:
            Networks.parse(self.trusted_proxies)
        except ValueError as error:
            raise ValueError(
                f"LOGSIEVE_TRUSTED_PROXIES: {error}; give addresses or networks, such as 10.1.0.0/16"
            ) from error
        return self

    @property
    def proxies(self) -> Networks:
        """The proxies that `trusted_proxies` names."""
        return Networks.parse(self.trusted_proxies)

    @property
    def http_scheme(self) -> str:
        """Scheme of the URLs of OTLP/HTTP and the REST API."""
        return "http" if self.tls_cert_file is None else "https"

    @property
    def lacks_client_certificate(self) -> bool:
        """Returns whether OTLP clients must show a certificate but the settings have none for our own logs and
        samples."""
        return self.tls_client_ca_file is not None and self.tls_client_cert_file is None
