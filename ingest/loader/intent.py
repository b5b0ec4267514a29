"""The promise a loader makes before it inserts: exactly which offsets the next insert covers.

Committed offset `start` with metadata naming `end` means: [start, end) may be in ClickHouse already, under the tokens
of that range. Whoever owns the partition next repeats that range and no other; ClickHouse drops what it has.
"""

import re
from dataclasses import dataclass

from schema.coordinates import TopicId

_INTENT = re.compile(r"intent/1/([0-9a-f]{32})/(\d{1,19})")


@dataclass(frozen=True, slots=True)
class OffsetRange:
    """The offsets [start, end) of one partition."""

    partition: int
    start: int
    end: int

    def token(self, topic: TopicId, lane: int) -> str:
        """What ClickHouse recognises a repeated insert by.

        The topic's id is in it because a topic that is created again counts its offsets from 0 again.
        """
        return f"{topic.text}/{self.partition}/{self.start}-{self.end}/{lane}"

    def intent(self, topic: TopicId) -> str:
        """The metadata to commit `start` with before the insert."""
        return f"intent/1/{topic.text}/{self.end}"


def promised_end(metadata: str | None, topic: TopicId, start: int) -> int | None:
    """The `end` an earlier owner promised for the committed offset `start`; None where nothing was promised.

    A promise of another incarnation of the topic is void: its offsets mean other messages. Python's client leaves a
    trailing NUL in the metadata.
    """
    match = _INTENT.fullmatch((metadata or "").rstrip("\0"))
    if match is None or match[1] != topic.text:
        return None
    end = int(match[2])
    return end if end > start else None
