"""Settings of alerts: how they are evaluated, and how their notices leave the installation."""

from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Literal, Self

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings


class AlertSettings(BaseSettings):
    """Settings of the worker that evaluates alert rules and sends notices."""

    alerts_port: int = Field(8089, description="Port of /healthz, /readyz and /metrics of the alert worker.")
    alerts_delay_seconds: int = Field(
        10,
        ge=0,
        le=600,
        description="Seconds between the end of the range that an alert rule reads and its evaluation, so that records "
        "which arrive late are counted.",
    )
    alerts_max_concurrent: int = Field(
        8, ge=1, le=64, description="Evaluations, and in addition notices, that an alert worker runs at the same time."
    )
    alerts_webhook_networks: str = Field(
        "",
        description="Networks (CIDR) inside the installation that webhooks of alerts may reach, separated by commas, "
        "in addition to all public addresses. Loopback, private and link-local addresses are refused otherwise.",
    )

    smtp_host: str | None = Field(
        None, description="SMTP server that sends the e-mails of alerts. Unset: rules cannot have e-mail channels."
    )
    smtp_port: int = Field(587, ge=1, le=65535, description="Port of the SMTP server.")
    smtp_security: Literal["starttls", "tls", "none"] = Field(
        "starttls", description="Encryption of the connection to the SMTP server. `none`: for a server on this machine."
    )
    smtp_user: str | None = Field(None, description="User name for the SMTP server; unset: no authentication.")
    smtp_password: SecretStr | None = Field(None, description="Password for the SMTP server.")
    smtp_from: str = Field("logsieve@localhost", description="Sender's address of the e-mails of alerts.")

    @property
    def webhook_networks(self) -> tuple[IPv4Network | IPv6Network, ...]:
        """The networks of `alerts_webhook_networks`."""
        return tuple(ip_network(text.strip()) for text in self.alerts_webhook_networks.split(",") if text.strip())

    @model_validator(mode="after")
    def _networks_are_valid(self) -> Self:
        try:
            _ = self.webhook_networks
        except ValueError as error:
            raise ValueError(f"alerts_webhook_networks: {error}; give networks such as 10.1.0.0/16") from error
        return self
