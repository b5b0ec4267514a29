"""The columns of a log table, in insert order: the one list that loader, migrations and search share.

Attributes are kept as text so that one Map holds all of them. So that nothing is lost, `attribute_types` keeps the type
of each value as one letter per entry, in the order of the map: `s` string, `i` 64-bit integer, `d` double, `b` boolean,
`x` bytes (as base64), `j` array or nested map (as compact JSON), `n` empty value.
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple, get_type_hints


@dataclass(frozen=True, slots=True)
class Stored:
    """The type and codec with which ClickHouse stores a column."""

    type: str
    codec: str | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its ClickHouse type and codec."""

    name: str
    type: str
    codec: str | None = None

    @property
    def ddl(self) -> str:
        return f"`{self.name}` {self.type}" + (f" CODEC({self.codec})" if self.codec else "")


class StoredRecord(NamedTuple):
    """A record as it is read from a log table or from the topic. Its fields are columns, in insert order.

    Times are nanoseconds since the Unix epoch. Trace ids have 16 bytes and span ids 8, all zero if there is none.
    """

    timestamp: Annotated[int, Stored("DateTime64(9, 'UTC')", "Delta(8), LZ4")]
    id: Annotated[int, Stored("UInt128", "ZSTD(1)")]
    observed_timestamp: Annotated[int, Stored("DateTime64(9, 'UTC')", "Delta(8), ZSTD(1)")]
    severity_number: Annotated[int, Stored("UInt8", "ZSTD(1)")]
    severity_text: Annotated[str, Stored("LowCardinality(String)")]
    service: Annotated[str, Stored("LowCardinality(String)")]
    body: Annotated[str, Stored("String", "ZSTD(1)")]
    body_truncated_bytes: Annotated[int, Stored("UInt32", "ZSTD(1)")]
    attributes: Annotated[dict[str, str], Stored("Map(LowCardinality(String), String)", "ZSTD(1)")]
    attribute_types: Annotated[str, Stored("LowCardinality(String)")]
    resource: Annotated[dict[str, str], Stored("Map(LowCardinality(String), String)", "ZSTD(1)")]
    resource_types: Annotated[str, Stored("LowCardinality(String)")]
    scope_name: Annotated[str, Stored("LowCardinality(String)")]
    scope_version: Annotated[str, Stored("LowCardinality(String)")]
    trace_id: Annotated[bytes, Stored("FixedString(16)", "ZSTD(1)")]
    span_id: Annotated[bytes, Stored("FixedString(8)", "ZSTD(1)")]
    flags: Annotated[int, Stored("UInt32", "ZSTD(1)")]
    event_name: Annotated[str, Stored("LowCardinality(String)")]


class PackedRecord(NamedTuple):
    """A record as it is read from a log table for an answer: from 4 columns instead of 18."""

    timestamp: int
    id: int
    body: str
    record_json: str
    """JSON of the record's other members, ready for the API's answer: the first line has the members before `body`, the
    second the members after it.

    Empty if the body is small, if the other fields are large, or if the record was stored before migration 0008.
    """


Record = StoredRecord | PackedRecord


class FlaggedRecord(NamedTuple):
    """A record, and whether its row has a text in `record_json`."""

    record: StoredRecord
    is_packed: bool


def _columns() -> tuple[Column, ...]:
    hints = get_type_hints(StoredRecord, include_extras=True)
    stored = {name: hints[name].__metadata__[0] for name in StoredRecord._fields}
    return tuple(Column(name, each.type, each.codec) for name, each in stored.items())


COLUMNS: tuple[Column, ...] = (
    # Tenant and cohort of a record. No answer contains them.
    Column("tenant_id", "UInt32", "ZSTD(1)"),
    Column("cohort", "LowCardinality(String)"),
    *_columns(),
    # All that an answer shows besides time, id and body, as JSON: docs/decisions/0035-large-records-have-their-json.md.
    Column("record_json", "String", "ZSTD(1)"),
)

NAMES: tuple[str, ...] = tuple(column.name for column in COLUMNS)

DECODED: tuple[Column, ...] = COLUMNS[:-1]
"""Columns of `LogColumns`. Column `record_json` is computed from them."""

SORTING_KEY: tuple[str, ...] = ("tenant_id", "timestamp", "id")
