"""The fields tables: how many records of a lane have a field, and how many have each of its values.

The loader counts them with the rows of a batch, in native code (native/src/field_counts.rs). A row of kind `field`
counts the records that have the field. A row of kind `value` counts those with that value:
docs/decisions/0011-fields-are-counted-at-insert.md says which values are left out.
"""

from typing import TYPE_CHECKING, Final

from schema.clickhouse.tables import TABLE_SETTINGS
from schema.columns import Column
from schema.severity import Severity

if TYPE_CHECKING:
    # Imported only for types: the stack needs table names and never connects, and importing the client is slow.
    from clickhouse_connect.driver.client import Client

BUCKET_SECONDS: Final = 900
"""Length of a bucket in seconds: a quarter of an hour. Records of one bucket are counted together."""

MAX_FIELDS: Final = 1_000
"""Largest number of attributes that an insert counts in a bucket, and of resource attributes and record fields together
(`MAX_FIELDS` in native/src/field_counts.rs). It leaves out the least frequent ones."""

MAX_TEXT_BYTES: Final = 256
"""Bytes of UTF-8 of the longest name and of the longest value that are counted (`LONGEST` in native/src/tally.rs)."""

COLUMNS: Final[tuple[Column, ...]] = (
    Column("tenant_id", "UInt32", "ZSTD(1)"),
    Column("cohort", "LowCardinality(String)"),
    Column("source", "LowCardinality(String)"),
    Column("kind", "Enum8('field' = 0, 'value' = 1)"),
    Column("field", "String", "ZSTD(1)"),
    Column("bucket", "DateTime('UTC')", "Delta(4), ZSTD(1)"),
    Column("value", "String", "ZSTD(1)"),
    Column("records", "UInt64", "ZSTD(1)"),
)

RECORD_FIELDS: Final[tuple[tuple[str, str], ...]] = (
    ("service", "service"),
    (
        "severity",
        "transform(intDiv(severity_number + 3, 4), [1, 2, 3, 4, 5, 6], "
        f"[{', '.join(repr(each.name) for each in Severity)}], '')",
    ),
    ("severity_text", "severity_text"),
    ("event_name", "event_name"),
    ("scope.name", "scope_name"),
    ("scope.version", "scope_version"),
)
"""The counted fields of the record itself, each with the SQL of its text. A record with an empty text lacks the
field."""


def record_entries() -> str:
    """Returns the SQL of an array of (source, field, text). The text is empty if the record does not have the field."""
    entries = (f"('record', '{name}', CAST({text}, 'String'))" for name, text in RECORD_FIELDS)
    return f"[{', '.join(entries)}]"


def fields_table(lane: int) -> str:
    """Returns the name of the lane's fields table."""
    return f"fields_{lane}"


def create_fields(database: str, fields: str) -> str:
    """Returns the CREATE TABLE statement. ClickHouse adds up rows with equal keys when it merges parts; queries sum
    rows that are not merged yet.

    The table has the same partitions as the log table, so that retention drops both in the same way.
    """
    columns = ",\n    ".join(column.ddl for column in COLUMNS)
    window = TABLE_SETTINGS["non_replicated_deduplication_window"]
    return (
        f"CREATE TABLE IF NOT EXISTS `{database}`.`{fields}`\n(\n    {columns}\n)\n"
        "ENGINE = SummingMergeTree(records)\nPARTITION BY (cohort, toDate(bucket))\n"
        "PRIMARY KEY (tenant_id, kind, source, field, bucket)\n"
        "ORDER BY (tenant_id, kind, source, field, bucket, value)\n"
        f"SETTINGS non_replicated_deduplication_window = {2 * window}"
    )


def earlier_views(client: "Client") -> list[str]:
    """Returns the names of the materialised views in the client's database that counted fields before migration
    0007."""
    rows = client.query(
        "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine = 'MaterializedView'"
        " AND match(name, '^fields_[0-9]+_(attributes|record)$') ORDER BY name"
    ).result_rows
    return [str(name) for (name,) in rows]
