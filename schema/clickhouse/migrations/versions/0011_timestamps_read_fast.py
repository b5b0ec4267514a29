"""compress timestamps so that they are read in half of the time (docs/decisions/0056)"""

from alembic import op

from schema.clickhouse.lanes import lane_tables

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in lane_tables(op):
        op.execute(f"ALTER TABLE {table} MODIFY COLUMN timestamp CODEC(Delta(8), LZ4)")
