"""store the first day that the disks let each tenant keep, and the last report on the disks"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tenant", sa.Column("kept_from_day", sa.Integer, nullable=False, server_default="0"))
    # Without revision triggers, because processes keep no copy of the report: each request reads it.
    op.create_table(
        "storage_report",
        sa.Column("id", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("report", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_storage_report"),
    )
