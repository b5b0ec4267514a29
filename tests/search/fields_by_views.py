"""The materialised views that counted fields until migration 0007.

Tests compare the loader's counts with those of these views.
"""

import re
from typing import Final

from schema.clickhouse.fields_rollup import BUCKET_SECONDS, RECORD_FIELDS

MAX_VALUES: Final = 64
MAX_FIELDS: Final = 1_000
_LONGEST: Final = 256
_FEW: Final = 16
_MIN_SHARE: Final = 200

_KEPT_FIELDS: Final = f"HAVING length(name) <= {_LONGEST} ORDER BY total DESC, name LIMIT {MAX_FIELDS} BY tenant, start"

_BUCKET: Final = f"toDateTime(toStartOfInterval(timestamp, INTERVAL {BUCKET_SECONDS} SECOND), 'UTC')"

_RECORD_COLUMNS: Final = "service, severity_number, severity_text, event_name, scope_name, scope_version"
_RECORD_ANY: Final = ", ".join(f"any({name}) AS any_{name}" for name in _RECORD_COLUMNS.split(", "))
_COLUMN: Final = re.compile(_RECORD_COLUMNS.replace(", ", "|"))
_RECORD_ENTRIES: Final = ", ".join(
    f"('record', '{name}', CAST({_COLUMN.sub(lambda found: f'any_{found[0]}', text)}, 'String'))"
    for name, text in RECORD_FIELDS
)

# Rows are grouped by hashes, because texts as keys take twice the time. A tenant that makes hashes collide mixes only
# its own fields. The texts of a field are first collected and then counted, so that memory grows with the bytes of the
# insert: a sketch takes 42 KB for each field, even for one with few texts. A text's count is at the first index of the
# array where the text is.
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

# Records with equal values of these columns and an equal resource are counted together, before fields are separated.
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
            arrayFilter(each -> each.3 != '', [{_RECORD_ENTRIES}]),
            arrayMap(
                (key, text) -> ('resource', CAST(key, 'String'), text),
                mapKeys(any_resource), mapValues(any_resource))
        ) AS entry
        GROUP BY tenant, its_cohort, start, its_source, name, text
    )
    GROUP BY tenant, its_cohort, start, its_source, name
    {_KEPT_FIELDS}"""

# The row of the field, then the rows of its values: of all if they are few, else of the frequent ones.
_ROWS: Final = f"""SELECT tenant AS tenant_id, its_cohort AS cohort, its_source AS source,
    row.1 AS kind, name AS field, start AS bucket,
    row.2 AS value, row.3 AS records
FROM
(
    SELECT tenant, its_cohort, start, its_source, name, total,
        arraySlice(arrayReverseSort(each -> each.2, counted), 1, {MAX_VALUES}) AS found
    FROM
    (
    {{counted}}
    )
)
ARRAY JOIN arrayPushFront(
    arrayMap(each -> ('value', each.1, toUInt64(each.2)), arrayFilter(
        each -> (length(found) < {MAX_VALUES} AND length(found) <= greatest({_FEW}, total / 2))
            OR each.2 >= greatest(2, total / {_MIN_SHARE}),
        found)),
    ('field', '', toUInt64(total))) AS row"""

VIEWS: Final[dict[str, str]] = {"attributes": _ATTRIBUTES, "record": _RECORD}
"""SQL of the two views of a lane, by the fields that they count. Each view reads the rows of an insert once."""


def create_views(database: str) -> list[str]:
    """Returns the statements that create the two views of lane 0."""
    return [
        f"CREATE MATERIALIZED VIEW `{database}`.`fields_0_{counts}` TO `{database}`.`fields_0`\n"
        f"AS {view_query(f'`{database}`.`logs_0`', counts)}"
        for counts in VIEWS
    ]


def view_query(logs: str, counts: str) -> str:
    """Returns the SELECT of a view. `counts` is a key of VIEWS, `logs` the log table's name in SQL."""
    return _ROWS.format(counted=VIEWS[counts].format(logs=logs))
