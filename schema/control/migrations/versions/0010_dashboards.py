"""create the dashboards of tenants, and keep with views how they show numbers"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("saved_view", sa.Column("chart_kind", sa.String(8)))
    # The table has no revision triggers, because processes keep no copy of dashboards: each request reads them.
    op.create_table(
        "dashboard",
        sa.Column("id", sa.String(12), nullable=False),
        sa.Column("tenant_id", sa.Integer, nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("range_start", sa.String(64), nullable=False),
        sa.Column("range_end", sa.String(64), nullable=False),
        sa.Column("refresh_seconds", sa.Integer),
        sa.Column("panels", sa.Text, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("created_at_ns", sa.BigInteger, nullable=False),
        sa.Column("created_by", sa.String(255), nullable=False),
        sa.Column("changed_at_ns", sa.BigInteger, nullable=False),
        sa.Column("changed_by", sa.String(255), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_dashboard"),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenant.id"], name="fk_dashboard_tenant_id_tenant"),
        sa.UniqueConstraint("tenant_id", "name", name="uq_dashboard_tenant_id"),
    )
