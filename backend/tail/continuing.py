"""Says where tails continue in a partition when Kafka has reported that the offset of their position does not exist."""

from dataclasses import dataclass
from typing import Final

DELETED: Final = "Kafka deleted records before the tail read them"
LOST: Final = "Kafka lost its newest records; further records that it received shortly before or after may be missing"


@dataclass(frozen=True, slots=True)
class Continuation:
    """The next offset to read, and the reason why records before it are missing."""

    offset: int
    missing: str


def continuation(position: int, first: int, end: int) -> Continuation:
    """Returns the offset at which tails continue if Kafka does not have the message at `position`, and the reason.

    `first` is the first offset that Kafka has, `end` the offset after the last one. If the position is not before
    `first`, it was after the end, because Kafka lost its newest messages
    (docs/decisions/0060-messages-that-kafka-lost.md). Tails then continue at the end, because they have read most of
    the messages before it. If so many messages have arrived since that the end is after the position, they continue
    there.
    """
    return Continuation(first, DELETED) if position < first else Continuation(min(position, end), LOST)
