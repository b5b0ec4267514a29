"""Settings of alerts: the evaluation of rules, and the channels of notices."""

from typing import Literal, Self

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings

from kit.mail_address import address_of_sender
from kit.networks import Networks
from kit.stack_settings import Port


class AlertSettings(BaseSettings):
    """Settings of the worker that evaluates alert rules and sends notices."""

    alerts_port: Port = Field(8089, description="Port of /healthz, /readyz and /metrics of the alert worker.")
    alerts_delay_seconds: int = Field(
        10,
        ge=0,
        le=600,
        description="Seconds between the end of the evaluated range and the evaluation, so that late records are "
        "counted.",
    )
    alerts_max_wait_seconds: int = Field(
        900,
        ge=0,
        le=86_400,
        description="Longest time in seconds that an alert rule waits until the logs of its range, which Kafka has, "
        "are stored. 0: rules do not wait.",
    )
    alerts_max_concurrent: int = Field(
        8,
        ge=1,
        le=64,
        description="Largest number of evaluations that an alert worker runs at the same time. It is also the largest "
        "number of notices that it sends at the same time.",
    )
    alerts_webhook_networks: str = Field(
        "",
        description="Addresses and networks (CIDR), separated by commas, that webhooks of alerts may reach in addition "
        "to public addresses. All other loopback, private and link-local addresses are refused.",
    )

    smtp_host: str | None = Field(
        None,
        min_length=1,
        description="SMTP server that sends the e-mails of alerts. If unset, rules cannot have e-mail channels.",
    )
    smtp_port: Port = Field(587, description="Port of the SMTP server.")
    smtp_security: Literal["starttls", "tls", "none"] = Field(
        "starttls",
        description="Encryption of the connection to the SMTP server. Use `none` only for a server on this machine.",
    )
    smtp_user: str | None = Field(None, description="User name for the SMTP server; unset: no authentication.")
    smtp_password: SecretStr | None = Field(None, description="Password for the SMTP server.")
    smtp_from: str = Field(
        "logsieve@localhost", description="Sender of the e-mails of alerts: an address, or `Name <address>`."
    )

    @property
    def webhook_networks(self) -> Networks:
        """The networks that `alerts_webhook_networks` names."""
        return Networks.parse(self.alerts_webhook_networks)

    @model_validator(mode="after")
    def _networks_are_valid(self) -> Self:
        try:
            Networks.parse(self.alerts_webhook_networks)
        except ValueError as error:
            raise ValueError(
                f"LOGSIEVE_ALERTS_WEBHOOK_NETWORKS: {error}; give addresses or networks, such as 10.1.0.0/16"
            ) from error
        return self

    @model_validator(mode="after")
    def _sender_is_an_address(self) -> Self:
        if address_of_sender(self.smtp_from) is None:
            raise ValueError(
                f"LOGSIEVE_SMTP_FROM is {self.smtp_from!r}: give an e-mail address, such as logsieve@example.com or "
                "Logsieve <logsieve@example.com>"
            )
        return self
