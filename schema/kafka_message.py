"""Reads headers, leader epochs and committed positions from objects of Kafka's client, whose types allow more forms."""

from typing import TypeAlias

from confluent_kafka import Message, TopicPartition

from schema.coordinates import UNKNOWN_EPOCH, LogPosition

Headers: TypeAlias = list[tuple[str, str | bytes | None]]


def headers_of(message: Message) -> Headers:
    """Returns the headers of a consumed message in their order; empty if it has none."""
    headers = message.headers()
    # The type also allows a dict, because producers take one. A consumer always returns a list.
    return list(headers.items() if isinstance(headers, dict) else headers or ())


def leader_epoch_of(message: Message) -> int:
    """Returns the epoch of the leader that wrote the message; UNKNOWN_EPOCH if the broker does not name it."""
    epoch = message.leader_epoch()
    return UNKNOWN_EPOCH if epoch is None else epoch


def position_of(committed: TopicPartition) -> LogPosition:
    """Returns the committed position. Its offset is negative if none was committed."""
    epoch = committed.leader_epoch
    return LogPosition(committed.offset, UNKNOWN_EPOCH if epoch is None else epoch)
