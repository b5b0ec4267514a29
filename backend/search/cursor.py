"""Cursors: the position after a page's last row, bound to the search that returned it.

A cursor is the base64url of: version, order, tenant, range, the last row's (timestamp, id), and a digest of the query.
It is no secret and gives no rights: every page is read within the scope of the requesting tenant.
"""

import base64
import binascii
import struct
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from backend.store.order import Order
from backend.store.record_id import RecordId
from backend.store.scope import OpenRange, TimeRange
from kit.errors import InvalidCursor, InvalidRequest

_VERSION: Final = 1
_UNKNOWN: Final = "the cursor is not one that a search returned: send `next_cursor` of the previous page unchanged"
_LAYOUT: Final = struct.Struct(">BBQQQ16s8s")


@dataclass(frozen=True, slots=True)
class Cursor:
    """The last row of a page and its search. `query` is the canonical query text."""

    query: str
    order: Order
    tenant_id: int
    time_range: TimeRange
    last: RecordId

    def encode(self) -> str:
        body = _LAYOUT.pack(
            _VERSION,
            self.order is Order.asc,
            self.time_range.start_ns,
            self.time_range.end_ns,
            self.last.timestamp_ns,
            self.last.id.to_bytes(16, "big"),
            _digest(self.query, self.tenant_id),
        )
        return base64.urlsafe_b64encode(body).rstrip(b"=").decode()


def read_cursor(text: str, query: str, order: Order, tenant_id: int) -> Cursor:
    """Returns the cursor of `text` if it continues this tenant's search for `query` in `order`.

    Raises InvalidCursor for any other text.
    """
    try:
        body = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        version, ascending, start_ns, end_ns, timestamp_ns, row_id, digest = _LAYOUT.unpack(body)
        time_range = TimeRange(start_ns, end_ns)
    except (binascii.Error, struct.error, ValueError, InvalidRequest) as error:
        raise InvalidCursor(_UNKNOWN) from error
    if version != _VERSION or end_ns >= 2**63 or timestamp_ns >= 2**63:
        raise InvalidCursor(_UNKNOWN)
    if digest != _digest(query, tenant_id) or ascending != (order is Order.asc):
        raise InvalidCursor("the cursor continues another search: query, order and key must stay the same")
    return Cursor(query, order, tenant_id, time_range, RecordId(timestamp_ns, int.from_bytes(row_id, "big")))


def require_same_range(cursor: Cursor, asked: OpenRange) -> None:
    """Raises InvalidCursor when the request has both a cursor and another range than the cursor's."""
    known = cursor.time_range
    if asked.start_ns not in (None, known.start_ns) or asked.end_ns not in (None, known.end_ns):
        raise InvalidCursor("the cursor continues a search over another time range: leave start and end as they were")


def _digest(query: str, tenant_id: int) -> bytes:
    return blake2b(query.encode(), digest_size=8, key=tenant_id.to_bytes(8, "big")).digest()
