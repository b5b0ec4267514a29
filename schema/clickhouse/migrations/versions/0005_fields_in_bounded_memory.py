"""bound the memory for counting fields by the bytes of an insert (docs/decisions/0011)"""

from alembic import op

from schema.clickhouse.lanes import lane_tables

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

# Frozen: later changes of schema/clickhouse/fields_rollup.py come as further revisions.
ATTRIBUTES = """
SELECT tenant AS tenant_id, its_cohort AS cohort, its_source AS source,
    row.1 AS kind, name AS field, start AS bucket,
    row.2 AS value, row.3 AS records
FROM
(
    SELECT tenant, its_cohort, start, its_source, name, total,
        arraySlice(arrayReverseSort(each -> each.2, counted), 1, 64) AS found
    FROM
    (
    SELECT tenant, its_cohort, start, its_source, name, total,
        arrayFilter(
            (_, place) -> place = 1,
            arrayZip(texts, arrayReverse(arrayEnumerateUniq(arrayReverse(texts)))),
            arrayEnumerateUniq(texts)) AS counted
    FROM
    (
        SELECT any(tenant_id) AS tenant, any(cohort) AS its_cohort, any(bucket) AS start,
            'attributes' AS its_source, any(key) AS name, count() AS total,
            groupArrayIf(text, length(text) <= 256) AS texts
        FROM
        (
            SELECT tenant_id, cohort, toDateTime(toStartOfInterval(timestamp, INTERVAL 900 SECOND), 'UTC')
                AS bucket, cityHash64(tenant_id, bucket, cohort) AS context, attributes
            FROM {logs}
        )
        ARRAY JOIN mapKeys(attributes) AS key, mapValues(attributes) AS text
        GROUP BY context, cityHash64(key)
        HAVING length(name) <= 256 ORDER BY total DESC, name LIMIT 1000 BY tenant, start
    )
    )
)
ARRAY JOIN arrayPushFront(
    arrayMap(each -> ('value', each.1, toUInt64(each.2)), arrayFilter(
        each -> (length(found) < 64 AND length(found) <= greatest(16, total / 2))
            OR each.2 >= greatest(2, total / 200),
        found)),
    ('field', '', toUInt64(total))) AS row
"""

RECORD = """
SELECT tenant AS tenant_id, its_cohort AS cohort, its_source AS source,
    row.1 AS kind, name AS field, start AS bucket,
    row.2 AS value, row.3 AS records
FROM
(
    SELECT tenant, its_cohort, start, its_source, name, total,
        arraySlice(arrayReverseSort(each -> each.2, counted), 1, 64) AS found
    FROM
    (
    SELECT tenant, its_cohort, start, its_source, name, sum(weight) AS total,
        groupArrayIf((text, weight), length(text) <= 256) AS counted
    FROM
    (
        SELECT tenant, its_cohort, start, entry.1 AS its_source, entry.2 AS name, entry.3 AS text,
            sum(alike) AS weight
        FROM
        (
            SELECT any(tenant_id) AS tenant, any(cohort) AS its_cohort,
                any(toDateTime(toStartOfInterval(timestamp, INTERVAL 900 SECOND), 'UTC')) AS start,
                count() AS alike,
                any(service) AS any_service, any(severity_number) AS any_severity_number,
                    any(severity_text) AS any_severity_text, any(event_name) AS any_event_name,
                    any(scope_name) AS any_scope_name, any(scope_version) AS any_scope_version,
                    any(resource) AS any_resource
            FROM {logs}
            GROUP BY cityHash64(tenant_id, toDateTime(toStartOfInterval(timestamp, INTERVAL 900 SECOND),
                'UTC'), cohort, service, severity_number, severity_text, event_name, scope_name,
                scope_version, resource)
        )
        ARRAY JOIN arrayConcat(
            arrayFilter(each -> each.3 != '', [('record', 'service', CAST(any_service, 'String')),
                ('record', 'severity', CAST(transform(intDiv(any_severity_number + 3, 4), [1, 2, 3, 4, 5,
                6], ['trace', 'debug', 'info', 'warn', 'error', 'fatal'], ''), 'String')), ('record',
                'severity_text', CAST(any_severity_text, 'String')), ('record', 'event_name',
                CAST(any_event_name, 'String')), ('record', 'scope.name', CAST(any_scope_name, 'String')),
                ('record', 'scope.version', CAST(any_scope_version, 'String'))]),
            arrayMap(
                (key, text) -> ('resource', CAST(key, 'String'), text),
                mapKeys(any_resource), mapValues(any_resource))
        ) AS entry
        GROUP BY tenant, its_cohort, start, its_source, name, text
    )
    GROUP BY tenant, its_cohort, start, its_source, name
    HAVING length(name) <= 256 ORDER BY total DESC, name LIMIT 1000 BY tenant, start
    )
)
ARRAY JOIN arrayPushFront(
    arrayMap(each -> ('value', each.1, toUInt64(each.2)), arrayFilter(
        each -> (length(found) < 64 AND length(found) <= greatest(16, total / 2))
            OR each.2 >= greatest(2, total / 200),
        found)),
    ('field', '', toUInt64(total))) AS row
"""


def upgrade() -> None:
    for logs in lane_tables(op):
        fields = logs.replace("logs_", "fields_")
        for counts, query in (("attributes", ATTRIBUTES), ("record", RECORD)):
            # Changed in place: a view that is dropped and created again would not count the inserts in between.
            op.execute(f"ALTER TABLE {fields}_{counts} MODIFY QUERY {query.format(logs=logs)}")
