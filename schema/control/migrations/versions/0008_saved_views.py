"""create the saved views"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Without revision triggers, because processes keep no copy of views: each request reads them.
    op.create_table(
        "saved_view",
        sa.Column("id", sa.String(12), nullable=False),
        sa.Column("tenant_id", sa.Integer, nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("folder", sa.String(100), nullable=False),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("range_start", sa.String(64), nullable=False),
        sa.Column("range_end", sa.String(64), nullable=False),
        sa.Column("sort_order", sa.String(4), nullable=False),
        sa.Column("columns", sa.Text, nullable=False),
        sa.Column("chart_by", sa.String(1000)),
        sa.Column("is_default", sa.Boolean, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("created_at_ns", sa.BigInteger, nullable=False),
        sa.Column("created_by", sa.String(255), nullable=False),
        sa.Column("changed_at_ns", sa.BigInteger, nullable=False),
        sa.Column("changed_by", sa.String(255), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_saved_view"),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenant.id"], name="fk_saved_view_tenant_id_tenant"),
        sa.UniqueConstraint("tenant_id", "name", name="uq_saved_view_tenant_id"),
    )
