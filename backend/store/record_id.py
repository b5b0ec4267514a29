"""Record ids as the API shows them: 48 hex digits that lead straight to the row.

The first 16 are the timestamp in nanoseconds, the other 32 the row's id: together, and as text too, they sort the way
pages do.
"""

import re
from dataclasses import dataclass
from typing import Final

from kit.errors import NotFound
from schema.columns import StoredRecord

_FORM: Final = re.compile(r"[0-9a-f]{48}", re.ASCII)


@dataclass(frozen=True, slots=True, order=True)
class RecordId:
    """A row's place in a tenant's order: timestamp in nanoseconds, then the 128-bit id."""

    timestamp_ns: int
    id: int

    def __str__(self) -> str:
        return f"{self.timestamp_ns:016x}{self.id:032x}"


def parse_record_id(text: str) -> RecordId:
    """Raises NotFound: a text that is no id names no record."""
    if not _FORM.fullmatch(text) or int(text[:16], 16) >= 2**63:
        raise NotFound("there is no record with this id")
    return RecordId(int(text[:16], 16), int(text[16:], 16))


def key_of(record: StoredRecord) -> RecordId:
    """Returns the record's place in its tenant's order."""
    return RecordId(record.timestamp, record.id)
