"""Accounts of the broker in Kafka's configuration (SASL PLAIN on loopback)."""

from dataclasses import dataclass
from typing import Final

from stack.broker.escape import escape_property

BROKER: Final = "broker"
"""Account that the broker process uses for its own connections: to its controller and to other brokers."""


@dataclass(frozen=True, slots=True)
class Accounts:
    """The account of clients and the account of the broker. The broker's password is needed only at its start."""

    user: str
    password: str
    broker_password: str

    def clients_may_sign_in(self) -> str:
        """Returns the value of `sasl.jaas.config` for the clients' listener."""
        return self._login_module(f"user_{self.user}={_quoted(self.password)}")

    def only_the_broker_may_sign_in(self) -> str:
        """Returns the value of `sasl.jaas.config` for the controller's listener."""
        return self._login_module("")

    def _login_module(self, clients: str) -> str:
        own = _quoted(self.broker_password)
        return (
            "org.apache.kafka.common.security.plain.PlainLoginModule required"
            f' username="{BROKER}" password={own} user_{BROKER}={own} {clients};'
        )


def _quoted(text: str) -> str:
    """Returns a JAAS string, escaped for a properties file. Both formats remove a level of backslashes."""
    jaas = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escape_property(jaas)}"'
