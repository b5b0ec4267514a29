"""A Kafka message's headers as one type, which is also what a producer takes."""

from typing import TypeAlias

from confluent_kafka import Message

Headers: TypeAlias = list[tuple[str, str | bytes | None]]


def headers_of(message: Message) -> Headers:
    """Returns the headers of a consumed message, in its order; empty where it has none."""
    headers = message.headers()
    # Typed as a dict too, because producers take one; a consumer always gives a list.
    return list(headers.items() if isinstance(headers, dict) else headers or ())
