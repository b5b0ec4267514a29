"""${message}"""

from alembic import op

from schema.clickhouse.lanes import lane_tables

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in lane_tables(op):
        op.execute(f"ALTER TABLE {table} …")
