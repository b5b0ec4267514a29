"""drop the views that counted fields, which the loader counts now (docs/decisions/0034)"""

from alembic import op

from schema.clickhouse.lanes import lane_tables

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for logs in lane_tables(op):
        fields = logs.replace("logs_", "fields_")
        for counts in ("attributes", "record"):
            op.execute(f"DROP VIEW IF EXISTS {fields}_{counts}")
