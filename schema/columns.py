"""The columns of a log table, in insert order: the one list that loader, migrations and search share.

Attributes are kept as text so that one Map holds all of them. What each value was is kept beside it as one letter an
entry, in the order of the map (`attribute_types`), so that nothing is lost: `s` string, `i` 64-bit integer, `d`
double, `b` boolean, `x` bytes (as base64), `j` array or nested map (as compact JSON), `n` empty value.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its ClickHouse type and codec."""

    name: str
    type: str
    codec: str | None = None

    @property
    def ddl(self) -> str:
        return f"`{self.name}` {self.type}" + (f" CODEC({self.codec})" if self.codec else "")


COLUMNS: tuple[Column, ...] = (
    Column("tenant_id", "UInt32", "ZSTD(1)"),
    Column("cohort", "LowCardinality(String)"),
    Column("timestamp", "DateTime64(9, 'UTC')", "Delta(8), ZSTD(1)"),
    Column("id", "UInt128", "ZSTD(1)"),
    Column("observed_timestamp", "DateTime64(9, 'UTC')", "Delta(8), ZSTD(1)"),
    Column("severity_number", "UInt8", "ZSTD(1)"),
    Column("severity_text", "LowCardinality(String)"),
    Column("service", "LowCardinality(String)"),
    Column("body", "String", "ZSTD(1)"),
    Column("body_truncated_bytes", "UInt32", "ZSTD(1)"),
    Column("attributes", "Map(LowCardinality(String), String)", "ZSTD(1)"),
    Column("attribute_types", "LowCardinality(String)"),
    Column("resource", "Map(LowCardinality(String), String)", "ZSTD(1)"),
    Column("resource_types", "LowCardinality(String)"),
    Column("scope_name", "LowCardinality(String)"),
    Column("scope_version", "LowCardinality(String)"),
    Column("trace_id", "FixedString(16)", "ZSTD(1)"),
    Column("span_id", "FixedString(8)", "ZSTD(1)"),
    Column("flags", "UInt32", "ZSTD(1)"),
    Column("event_name", "LowCardinality(String)"),
)

NAMES: tuple[str, ...] = tuple(column.name for column in COLUMNS)

SORTING_KEY: tuple[str, ...] = ("tenant_id", "timestamp", "id")
