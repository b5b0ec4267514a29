"""Format of the dead-letter topic: a message that could not be loaded, and the reason.

Value, key and headers are those of the original, byte for byte. Our headers before them have the reason and the origin.
When a range of the topic is loaded again, its dead letters are written again, so readers of the dead-letter topic
compare `Origin`, which is equal for a letter and its repetition. A message without a value and with the header
`logsieve-replayed` is a marker: the letter of its origin was replayed.
"""

from dataclasses import dataclass
from typing import Final, Self

from kit.errors import Internal
from schema.coordinates import UNKNOWN_EPOCH
from schema.kafka_message import Headers

_LETTER: Final = "logsieve-dead"
_REPLAYED: Final = "logsieve-replayed"
_VERSION: Final = b"1"


class NotALetter(Internal):
    """A message of the dead-letter topic that Logsieve did not write."""


@dataclass(frozen=True, slots=True, order=True)
class Origin:
    """Position of the original message in Kafka. `topic_id` has 32 hexadecimal digits; it differs if a topic is created
    again.

    `leader_epoch` differs if Kafka lost the message and another one got its offset (schema.coordinates.LogPosition).
    Letters of earlier releases have none: there it is UNKNOWN_EPOCH.
    """

    topic_id: str
    partition: int
    offset: int
    leader_epoch: int = UNKNOWN_EPOCH

    @property
    def text(self) -> str:
        """Returns the origin in the form that commands take, which has no leader epoch."""
        return f"{self.partition}:{self.offset}"

    @property
    def key(self) -> bytes:
        """Returns the origin as headers contain it: `topic/partition/offset`, followed by `:epoch` if the leader epoch
        is known. Earlier releases wrote it without the epoch."""
        epoch = "" if self.leader_epoch == UNKNOWN_EPOCH else f":{self.leader_epoch}"
        return f"{self.topic_id}/{self.partition}/{self.offset}{epoch}".encode()

    @classmethod
    def from_key(cls, key: bytes) -> Self:
        """Reads a result of `key`. Raises NotALetter for other bytes."""
        try:
            topic_id, partition, position = key.decode().split("/")
            offset, named, epoch = position.partition(":")
            return cls(topic_id, int(partition), int(offset), int(epoch) if named else UNKNOWN_EPOCH)
        except ValueError:
            raise NotALetter("its origin cannot be read") from None


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A dead letter. `code` is one of schema.envelope.Fault, `reason` is a sentence for people, the rest is the
    original.

    `value` is None if the original has no value, or if Kafka deleted or lost it before a loader copied it.
    """

    origin: Origin
    code: str
    reason: str
    key: bytes | None
    headers: Headers
    value: bytes | None

    def to_headers(self) -> Headers:
        """Returns our headers first, in a fixed order, so that an original header of the same name cannot be mistaken
        for ours."""
        return [
            (_LETTER, _VERSION),
            ("origin", self.origin.key),
            ("code", self.code.encode()),
            ("reason", self.reason.encode(errors="backslashreplace")),
            *self.headers,
        ]

    @classmethod
    def from_message(cls, headers: Headers, key: bytes | None, value: bytes | None) -> Self:
        """Returns the letter in a message. Raises NotALetter if the message does not begin with the headers of
        `to_headers`."""
        ours, original = [(name, as_bytes(content)) for name, content in headers[:4]], list(headers[4:])
        if [name for name, _ in ours] != [_LETTER, "origin", "code", "reason"] or ours[0][1] != _VERSION:
            raise NotALetter("its headers are not those of a dead letter")
        origin, code, reason = (content for _, content in ours[1:])
        return cls(Origin.from_key(origin), code.decode(), reason.decode(errors="replace"), key, original, value)


def replayed_headers(origin: Origin) -> Headers:
    """Returns the headers of the marker for a replayed letter."""
    return [(_REPLAYED, origin.key)]


def replayed_origin(headers: Headers) -> Origin | None:
    """For a marker, returns the origin of the replayed letter; otherwise None."""
    if not headers or headers[0][0] != _REPLAYED:
        return None
    return Origin.from_key(as_bytes(headers[0][1]))


def as_bytes(content: str | bytes | None) -> bytes:
    return content.encode() if isinstance(content, str) else content or b""
