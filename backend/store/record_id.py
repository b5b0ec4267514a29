"""Record ids of the API: 48 hexadecimal digits that are the row's key.

The first 16 digits are the timestamp in nanoseconds, the other 32 the row's id. Together they sort like the records of
a page, also as text.
"""

import re
from dataclasses import dataclass
from typing import Final

from kit.errors import NotFound
from schema.columns import Record

_FORM: Final = re.compile(r"[0-9a-f]{48}", re.ASCII)


@dataclass(frozen=True, slots=True, order=True)
class RecordId:
    """A row's key within its tenant: timestamp in nanoseconds, then the 128-bit id."""

    timestamp_ns: int
    id: int

    def __str__(self) -> str:
        return f"{self.timestamp_ns:016x}{self.id:032x}"


def parse_record_id(text: str) -> RecordId:
    """Returns the key of an id. Raises NotFound for text that is no id, because no record has it."""
    if not _FORM.fullmatch(text) or int(text[:16], 16) >= 2**63:
        raise NotFound("no stored record of this tenant has this id; the record may be older than the retention")
    return RecordId(int(text[:16], 16), int(text[16:], 16))


def key_of(record: Record) -> RecordId:
    """Returns the record's key within its tenant."""
    return RecordId(record.timestamp, record.id)
