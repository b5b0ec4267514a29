"""Cursors: the position after a page's last row, bound to the search that returned it.

A cursor is the base64url of: version, order, range, the last row's (timestamp, id), and a digest of query and tenant.
With several replicas, version 2 adds the replica that was read (1 byte) and, for each topic partition, the last message
of which a page showed a record (12 bytes each). If the shards were read from different replicas, version 3 has the
number of shards and one replica for each shard instead. It is no secret and gives no rights: every page is read within
the scope of the requesting tenant.
"""

import base64
import binascii
import struct
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from backend.store.order import Order
from backend.store.record_id import RecordId
from backend.store.replicas.shown import Shown
from backend.store.scope import OpenRange, TimeRange
from kit.errors import InvalidCursor, InvalidRequest

_PLAIN: Final = 1
_WITH_SHOWN: Final = 2
_BY_SHARD: Final = 3
_UNKNOWN: Final = "the cursor is not one that a search returned: send `next_cursor` of the previous page unchanged"
_LAYOUT: Final = struct.Struct(">BBQQQ16s8s")
_MESSAGE_BYTES: Final = 12
_MAX_MESSAGES: Final = 64
"""Largest number of messages in a cursor. A cursor has one for each partition. A tenant has four partitions, or up to
16 if an operator allows it, unless the number of partitions of the topic was changed."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """The last row of a page and its search. `query` is the canonical query text."""

    query: str
    order: Order
    tenant_id: int
    time_range: TimeRange
    last: RecordId
    shown: Shown | None = None

    def encode(self) -> str:
        body = _LAYOUT.pack(
            _version(self.shown),
            self.order is Order.asc,
            self.time_range.start_ns,
            self.time_range.end_ns,
            self.last.timestamp_ns,
            self.last.id.to_bytes(16, "big"),
            _digest(self.query, self.tenant_id),
        )
        if self.shown is not None:
            replicas, messages = self.shown.replicas, self.shown.messages[-_MAX_MESSAGES:]
            counted = [len(replicas), *replicas] if len(replicas) > 1 else replicas
            body += bytes(counted) + b"".join(each.to_bytes(_MESSAGE_BYTES, "big") for each in messages)
        return base64.urlsafe_b64encode(body).rstrip(b"=").decode()


def read_cursor(text: str, query: str, order: Order, tenant_id: int) -> Cursor:
    """Returns the cursor of `text` if it continues this tenant's search for `query` in `order`.

    Raises InvalidCursor for any other text.
    """
    try:
        body = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        version, ascending, start_ns, end_ns, timestamp_ns, row_id, digest = _LAYOUT.unpack_from(body)
        shown = _read_shown(version, body[_LAYOUT.size :])
        time_range = TimeRange(start_ns, end_ns)
    except (binascii.Error, struct.error, ValueError, InvalidRequest) as error:
        raise InvalidCursor(_UNKNOWN) from error
    if end_ns >= 2**63 or timestamp_ns >= 2**63:
        raise InvalidCursor(_UNKNOWN)
    if digest != _digest(query, tenant_id) or ascending != (order is Order.asc):
        raise InvalidCursor(
            "the cursor belongs to another search: send it with the query, order and tenant of the page that returned "
            "it, or start again without a cursor"
        )
    return Cursor(query, order, tenant_id, time_range, RecordId(timestamp_ns, int.from_bytes(row_id, "big")), shown)


def require_same_range(cursor: Cursor, requested: OpenRange) -> None:
    """Raises InvalidCursor when the request has both a cursor and another range than the cursor's."""
    known = cursor.time_range
    if requested.start_ns not in (None, known.start_ns) or requested.end_ns not in (None, known.end_ns):
        raise InvalidCursor("the cursor continues a search over another time range: leave start and end as they were")


def _version(shown: Shown | None) -> int:
    if shown is None:
        return _PLAIN
    return _WITH_SHOWN if len(shown.replicas) == 1 else _BY_SHARD


def _read_shown(version: int, rest: bytes) -> Shown | None:
    """Returns what pages showed; None in version 1. Raises ValueError for bytes of any other form."""
    if version == _PLAIN and not rest:
        return None
    if version not in (_WITH_SHOWN, _BY_SHARD) or not rest:
        raise ValueError
    first, shards = (0, 1) if version == _WITH_SHOWN else (1, rest[0])
    replicas, encoded = rest[first : first + shards], rest[first + shards :]
    messages = [encoded[at : at + _MESSAGE_BYTES] for at in range(0, len(encoded), _MESSAGE_BYTES)]
    if len(replicas) < max(shards, 1) or len(messages) > _MAX_MESSAGES or len(encoded) % _MESSAGE_BYTES:
        raise ValueError
    return Shown(tuple(replicas), tuple(int.from_bytes(each, "big") for each in messages))


def _digest(query: str, tenant_id: int) -> bytes:
    return blake2b(query.encode(), digest_size=8, key=tenant_id.to_bytes(8, "big")).digest()
