"""create the usage table"""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

USAGE_TABLE = """
CREATE TABLE IF NOT EXISTS usage
(
    `tenant_id` UInt32,
    `minute` DateTime('UTC'),
    `outcome` LowCardinality(String),
    `requests` UInt64,
    `records` UInt64,
    `bytes` UInt64
)
ENGINE = SummingMergeTree((requests, records, bytes))
PARTITION BY toYYYYMM(minute)
ORDER BY (tenant_id, minute, outcome)
TTL minute + toIntervalDay(400)
SETTINGS non_replicated_deduplication_window = 10000
"""


def upgrade() -> None:
    op.execute(USAGE_TABLE)
