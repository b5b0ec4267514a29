"""merge column by column from the first row (docs/decisions/0030)"""

from alembic import op

from schema.clickhouse.lanes import lane_tables

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in lane_tables(op):
        op.execute(f"ALTER TABLE {table} MODIFY SETTING vertical_merge_algorithm_min_rows_to_activate = 1")
