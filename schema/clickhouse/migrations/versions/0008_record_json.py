"""store the JSON of large records (docs/decisions/0035)"""

from alembic import op

from schema.clickhouse.lanes import lane_tables

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in lane_tables(op):
        op.execute(
            f"ALTER TABLE {table} ADD COLUMN IF NOT EXISTS `record_json` String CODEC(ZSTD(1)) AFTER `event_name`"
        )
