"""Positions of tails: the id of each event, from which a client that lost its connection can resume.

An id is the base64url of: version, topic epoch, digest of query and tenant, time, partition and rows of a message that
was sent in part, and the next offset of each partition. It is not secret and gives no rights. Whatever id a client
sends, a tail reads only partitions that can have messages of its tenant, and decodes only this tenant's messages. It
decodes no messages that are older than a setting allows.
"""

import base64
import binascii
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from kit.errors import InvalidCursor

MAX_PARTITIONS: Final = 32
MAX_CHARACTERS: Final = 1_000
_VERSION: Final = 1
_HEAD: Final = struct.Struct(">BH8sQHIB")
_PARTITION: Final = struct.Struct(">HQ")
_FOREIGN: Final = "Last-Event-ID is not an id that a tail of this query sent: send the last id unchanged, or none"


@dataclass(frozen=True, slots=True)
class TailPosition:
    """Position of a tail: the next offset of each partition. The first `rows` rows of the message at the next offset of
    partition `started` were already evaluated and sent.

    `time_ns` is the time of this position.
    """

    topic_epoch: int
    time_ns: int
    offsets: Mapping[int, int]
    started: int = 0
    rows: int = 0

    def encode(self, digest: bytes) -> bytes:
        """Returns the position as an event's id."""
        head = _HEAD.pack(_VERSION, self.topic_epoch, digest, self.time_ns, self.started, self.rows, len(self.offsets))
        body = head + b"".join(_PARTITION.pack(*each) for each in sorted(self.offsets.items()))
        return base64.urlsafe_b64encode(body).rstrip(b"=")

    def inside(self, partition: int, offset: int, rows: int) -> "TailPosition":
        """Returns the position in the message at this offset of which `rows` rows were evaluated and sent."""
        return TailPosition(self.topic_epoch, self.time_ns, {**self.offsets, partition: offset}, partition, rows)

    def rows_sent(self, partition: int, offset: int) -> int:
        """Returns the number of rows of the message at this offset that were already sent."""
        return self.rows if partition == self.started and offset == self.offsets.get(partition) else 0

    def sent_until(self, partition: int) -> int:
        """Returns the offset after the partition's last message of which a row was evaluated and sent."""
        offset = self.offsets[partition]
        return offset + 1 if self.rows_sent(partition, offset) else offset

    def is_behind(self, sent: "TailPosition") -> bool:
        """Returns true if a reader at this position still reads a message of which `sent` has sent rows."""
        return any(self.offsets[each] < sent.sent_until(each) for each in self.offsets.keys() & sent.offsets.keys())


def digest_of(canonical_query: str, tenant_id: int) -> bytes:
    """Returns the digest that binds an id to a tenant's query."""
    return blake2b(canonical_query.encode(), digest_size=8, key=b"tail" + tenant_id.to_bytes(8, "big")).digest()


def read_tail_position(text: str, digest: bytes) -> TailPosition:
    """Returns the position of an id. Raises InvalidCursor unless `encode` wrote the text with the same digest."""
    if len(text) > MAX_CHARACTERS:
        raise InvalidCursor(_FOREIGN)
    try:
        body = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        version, epoch, bound_to, time_ns, started, rows, count = _HEAD.unpack_from(body)
        offsets = dict(_PARTITION.iter_unpack(body[_HEAD.size :]))
    except (binascii.Error, struct.error, ValueError) as error:
        raise InvalidCursor(_FOREIGN) from error
    if (
        version != _VERSION
        or bound_to != digest
        or not 0 < count == len(offsets) <= MAX_PARTITIONS
        or time_ns >= 2**63
        or any(offset >= 2**63 for offset in offsets.values())
        or (rows > 0 and started not in offsets)
    ):
        raise InvalidCursor(_FOREIGN)
    return TailPosition(epoch, time_ns, offsets, started, rows)
