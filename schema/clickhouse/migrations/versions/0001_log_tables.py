"""create the log tables"""

from alembic import op

from schema.clickhouse.lanes import lane_tables

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# Frozen: later changes of schema/clickhouse/tables.py come as further revisions.
LOG_TABLE = """
CREATE TABLE IF NOT EXISTS {table}
(
    `tenant_id` UInt32 CODEC(ZSTD(1)),
    `cohort` LowCardinality(String),
    `timestamp` DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `id` UInt128 CODEC(ZSTD(1)),
    `observed_timestamp` DateTime64(9, 'UTC') CODEC(Delta(8), ZSTD(1)),
    `severity_number` UInt8 CODEC(ZSTD(1)),
    `severity_text` LowCardinality(String),
    `service` LowCardinality(String),
    `body` String CODEC(ZSTD(1)),
    `body_truncated_bytes` UInt32 CODEC(ZSTD(1)),
    `attributes` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    `attribute_types` LowCardinality(String),
    `resource` Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    `resource_types` LowCardinality(String),
    `scope_name` LowCardinality(String),
    `scope_version` LowCardinality(String),
    `trace_id` FixedString(16) CODEC(ZSTD(1)),
    `span_id` FixedString(8) CODEC(ZSTD(1)),
    `flags` UInt32 CODEC(ZSTD(1)),
    `event_name` LowCardinality(String),
    INDEX body_words lower(body) TYPE tokenbf_v1(8192, 5, 0) GRANULARITY 1,
    INDEX attribute_keys mapKeys(attributes) TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX attribute_values mapValues(attributes) TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX resource_keys mapKeys(resource) TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX resource_values mapValues(resource) TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX traces trace_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX services service TYPE set(100) GRANULARITY 1,
    INDEX severities severity_number TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY (cohort, toDate(timestamp))
ORDER BY (tenant_id, timestamp, id)
SETTINGS index_granularity = 1024, index_granularity_bytes = 524288, non_replicated_deduplication_window = 10000
"""


def upgrade() -> None:
    for table in lane_tables(op):
        op.execute(LOG_TABLE.format(table=table))
