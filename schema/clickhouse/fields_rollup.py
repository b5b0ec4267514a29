"""Counts the fields of a lane's records and their values, by materialised views while records are inserted.

A row of kind `field` counts the records that have the field. A row of kind `value` counts those with that value, or
some of them: docs/decisions/0011-fields-are-counted-at-insert.md says which values are left out.
"""

from typing import Final

from schema.clickhouse.tables import TABLE_SETTINGS
from schema.severity import Severity

BUCKET_SECONDS: Final = 900
"""Records are counted together by quarters of an hour."""

MOST_VALUES: Final = 64
"""Values kept of one field of one insert, of a tenant and a quarter of an hour; fewer mean that none is missing."""

MOST_FIELDS: Final = 1_000
"""Largest number of fields that one insert counts for a tenant, a quarter of an hour and a view; the most frequent."""

_LONGEST: Final = 256
"""Bytes of names and values that are worth offering for a query; longer values count in their field only."""

_FEW: Final = 16
_LEAST_SHARE: Final = 200

_KEPT_FIELDS: Final = (
    f"HAVING length(name) <= {_LONGEST} ORDER BY total DESC, name LIMIT {MOST_FIELDS} BY tenant, start"
)

COLUMNS: Final[tuple[tuple[str, str], ...]] = (
    ("tenant_id", "UInt32 CODEC(ZSTD(1))"),
    ("cohort", "LowCardinality(String)"),
    ("source", "LowCardinality(String)"),
    ("kind", "Enum8('field' = 0, 'value' = 1)"),
    ("field", "String CODEC(ZSTD(1))"),
    ("bucket", "DateTime('UTC') CODEC(Delta(4), ZSTD(1))"),
    ("value", "String CODEC(ZSTD(1))"),
    ("records", "UInt64 CODEC(ZSTD(1))"),
)

RECORD_FIELDS: Final[tuple[tuple[str, str], ...]] = (
    ("service", "{}service"),
    (
        "severity",
        "transform(intDiv({}severity_number + 3, 4), [1, 2, 3, 4, 5, 6], "
        f"[{', '.join(repr(each.name) for each in Severity)}], '')",
    ),
    ("severity_text", "{}severity_text"),
    ("event_name", "{}event_name"),
    ("scope.name", "{}scope_name"),
    ("scope.version", "{}scope_version"),
)
"""The record's own fields that are counted, each with its text; a record with an empty text does not have the field.
Braces stand for what the names of columns begin with."""


def record_entries(prefix: str = "") -> str:
    """Returns the SQL of an array of (source, field, text), the text empty where the record does not have the field."""
    entries = (f"('record', '{name}', CAST({text.format(prefix)}, 'String'))" for name, text in RECORD_FIELDS)
    return f"[{', '.join(entries)}]"


_BUCKET: Final = f"toDateTime(toStartOfInterval(timestamp, INTERVAL {BUCKET_SECONDS} SECOND), 'UTC')"

_RECORD_COLUMNS: Final = "service, severity_number, severity_text, event_name, scope_name, scope_version"
_RECORD_ANY: Final = ", ".join(f"any({name}) AS any_{name}" for name in _RECORD_COLUMNS.split(", "))
_RECORD_ENTRIES: Final = record_entries("any_")

# Grouped by hashes: texts as keys take twice the time. Hashes that a tenant makes collide only mix its own fields.
# The texts of a field are collected and counted afterwards, so that memory follows the bytes of the insert: a sketch a
# field takes 42 KB for every name, whatever is in it. A text's count stands at its first place in the array.
_ATTRIBUTES: Final = f"""SELECT tenant, its_cohort, start, its_source, name, total,
        arrayFilter(
            (_, place) -> place = 1,
            arrayZip(texts, arrayReverse(arrayEnumerateUniq(arrayReverse(texts)))),
            arrayEnumerateUniq(texts)) AS counted
    FROM
    (
        SELECT any(tenant_id) AS tenant, any(cohort) AS its_cohort, any(bucket) AS start,
            'attributes' AS its_source, any(key) AS name, count() AS total,
            groupArrayIf(text, length(text) <= {_LONGEST}) AS texts
        FROM
        (
            SELECT tenant_id, cohort, {_BUCKET} AS bucket, cityHash64(tenant_id, bucket, cohort) AS context, attributes
            FROM {{logs}}
        )
        ARRAY JOIN mapKeys(attributes) AS key, mapValues(attributes) AS text
        GROUP BY context, cityHash64(key)
        {_KEPT_FIELDS}
    )"""

# Records of one resource and severity are taken together before their fields are looked at one by one.
_RECORD: Final = f"""SELECT tenant, its_cohort, start, its_source, name, sum(weight) AS total,
        groupArrayIf((text, weight), length(text) <= {_LONGEST}) AS counted
    FROM
    (
        SELECT tenant, its_cohort, start, entry.1 AS its_source, entry.2 AS name, entry.3 AS text,
            sum(alike) AS weight
        FROM
        (
            SELECT any(tenant_id) AS tenant, any(cohort) AS its_cohort, any({_BUCKET}) AS start, count() AS alike,
                {_RECORD_ANY}, any(resource) AS any_resource
            FROM {{logs}}
            GROUP BY cityHash64(tenant_id, {_BUCKET}, cohort, {_RECORD_COLUMNS}, resource)
        )
        ARRAY JOIN arrayConcat(
            arrayFilter(each -> each.3 != '', {_RECORD_ENTRIES}),
            arrayMap(
                (key, text) -> ('resource', CAST(key, 'String'), text),
                mapKeys(any_resource), mapValues(any_resource))
        ) AS entry
        GROUP BY tenant, its_cohort, start, its_source, name, text
    )
    GROUP BY tenant, its_cohort, start, its_source, name
    {_KEPT_FIELDS}"""

# The row of the field, then its values: all where they are few, else those that stand out.
_ROWS: Final = f"""SELECT tenant AS tenant_id, its_cohort AS cohort, its_source AS source,
    row.1 AS kind, name AS field, start AS bucket,
    row.2 AS value, row.3 AS records
FROM
(
    SELECT tenant, its_cohort, start, its_source, name, total,
        arraySlice(arrayReverseSort(each -> each.2, counted), 1, {MOST_VALUES}) AS found
    FROM
    (
    {{counted}}
    )
)
ARRAY JOIN arrayPushFront(
    arrayMap(each -> ('value', each.1, toUInt64(each.2)), arrayFilter(
        each -> (length(found) < {MOST_VALUES} AND length(found) <= greatest({_FEW}, total / 2))
            OR each.2 >= greatest(2, total / {_LEAST_SHARE}),
        found)),
    ('field', '', toUInt64(total))) AS row"""

VIEWS: Final[dict[str, str]] = {"attributes": _ATTRIBUTES, "record": _RECORD}
"""The two views of a lane, by the fields they count. Each reads the rows of an insert once."""


def fields_table(lane: int) -> str:
    """Returns the name of the lane's table of fields."""
    return f"fields_{lane}"


def view_name(fields: str, counts: str) -> str:
    """Returns the name of the view that fills a table of fields with the counts of one key of VIEWS."""
    return f"{fields}_{counts}"


def create_fields(database: str, fields: str) -> str:
    """Returns the CREATE TABLE statement. Rows of one key add up when parts merge; queries sum rows that have not
    merged yet.

    It has the partitions of the log table, so that retention drops both in the same way.
    """
    columns = ",\n    ".join(f"`{name}` {kind}" for name, kind in COLUMNS)
    window = TABLE_SETTINGS["non_replicated_deduplication_window"]
    return (
        f"CREATE TABLE IF NOT EXISTS `{database}`.`{fields}`\n(\n    {columns}\n)\n"
        "ENGINE = SummingMergeTree(records)\nPARTITION BY (cohort, toDate(bucket))\n"
        "PRIMARY KEY (tenant_id, kind, source, field, bucket)\n"
        "ORDER BY (tenant_id, kind, source, field, bucket, value)\n"
        f"SETTINGS non_replicated_deduplication_window = {2 * window}"
    )


def create_view(database: str, logs: str, fields: str, counts: str) -> str:
    """Returns the CREATE MATERIALIZED VIEW statement of one key of VIEWS, from a log table into a table of fields."""
    return (
        f"CREATE MATERIALIZED VIEW IF NOT EXISTS `{database}`.`{view_name(fields, counts)}`\n"
        f"TO `{database}`.`{fields}`\nAS {view_query(f'`{database}`.`{logs}`', counts)}"
    )


def view_query(logs: str, counts: str) -> str:
    """Returns the SELECT of one key of VIEWS; `logs` is the log table's name as SQL."""
    return _ROWS.format(counted=VIEWS[counts].format(logs=logs))
