"""Headers of a Kafka message as one type, which producers take too."""

from typing import TypeAlias

from confluent_kafka import Message

Headers: TypeAlias = list[tuple[str, str | bytes | None]]


def headers_of(message: Message) -> Headers:
    """Returns the headers of a consumed message in their order; empty if it has none."""
    headers = message.headers()
    # The type also allows a dict, because producers take one. A consumer always returns a list.
    return list(headers.items() if isinstance(headers, dict) else headers or ())
