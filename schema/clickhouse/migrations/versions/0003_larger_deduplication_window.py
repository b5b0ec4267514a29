"""raise the number of remembered insert tokens (docs/decisions/0007)"""

from alembic import op

from schema.clickhouse.lanes import lane_tables

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in lane_tables(op):
        op.execute(f"ALTER TABLE {table} MODIFY SETTING non_replicated_deduplication_window = 30000")
