"""Explains why brokers refused a connection, and names the setting to change.

A request without a connection fails with "Broker transport failure". librdkafka reports the reason to `error_cb` only.
"""

import re
from typing import Any, Final, Protocol

from confluent_kafka import KafkaError

_BROKER: Final = re.compile(r"^\w+://([^/]+)/")
_CERTIFICATE_WANTED: Final = re.compile(r"(?i)alert.(certificate.required|bad.certificate|unknown.ca)")


class Polled(Protocol):
    """Client of confluent-kafka. It calls its callbacks within `poll`."""

    def poll(self, *arguments: Any, **options: Any) -> Any: ...


class KafkaRefusal:
    """The last refusal that brokers gave to one client. Pass the object as the client's `error_cb`."""

    def __init__(self) -> None:
        self._reason: str | None = None

    def __call__(self, error: KafkaError) -> None:
        self._reason = refusal(error) or self._reason

    def reason(self, client: Polled) -> str | None:
        """Returns why the client's last connections were refused; None without a known reason."""
        client.poll(0)
        return self._reason

    def clear(self) -> None:
        """Forgets the reason. Call it when brokers have answered."""
        self._reason = None


def refusal(error: KafkaError) -> str | None:
    """Returns the setting to change, as a sentence; None for an error that no security setting causes."""
    text = error.str()
    found = _BROKER.match(text)
    broker = f"the broker {found[1]}" if found else "a broker"
    if "certificate verify failed" in text:
        # librdkafka reports an untrusted authority and a wrong host name with the same error.
        return (
            f"the certificate of {broker} is not trusted or was issued for another name: set LOGSIEVE_KAFKA_CA_FILE to"
            " a PEM file with the certificate of the authority that signed it, and use a name from the certificate in"
            " LOGSIEVE_KAFKA_BOOTSTRAP and in the brokers' advertised.listeners"
        )
    if error.code() == KafkaError._AUTHENTICATION:
        return (
            f"{broker} refused the sign-in: check LOGSIEVE_KAFKA_USER, LOGSIEVE_KAFKA_PASSWORD and"
            " LOGSIEVE_KAFKA_SASL_MECHANISM (for OAUTHBEARER the settings LOGSIEVE_KAFKA_OAUTH_…)"
        )
    if _CERTIFICATE_WANTED.search(text):
        return (
            f"{broker} requires a client certificate that it trusts: set LOGSIEVE_KAFKA_CERTIFICATE_FILE and"
            " LOGSIEVE_KAFKA_KEY_FILE"
        )
    if "PLAINTEXT broker listener" in text:
        return f"{broker} does not speak TLS: check the port in LOGSIEVE_KAFKA_BOOTSTRAP, or LOGSIEVE_KAFKA_SECURITY"
    return None
