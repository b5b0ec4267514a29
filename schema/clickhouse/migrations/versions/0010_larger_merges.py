"""merge more parts at once, so that records are merged less often (docs/decisions/0051)"""

from alembic import op

from schema.clickhouse.lanes import lane_tables

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in lane_tables(op):
        op.execute(f"ALTER TABLE {table} MODIFY SETTING merge_selector_base = 10")
