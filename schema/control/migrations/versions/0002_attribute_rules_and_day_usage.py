"""create attribute rules and the day's usage"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "attribute_rule",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("tenant_id", sa.Integer),
        sa.Column("pattern", sa.String(256), nullable=False),
        sa.Column("is_prefix", sa.Boolean, nullable=False),
        sa.Column("action", sa.String(8), nullable=False),
        sa.Column("created_at_ns", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_attribute_rule"),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenant.id"], name="fk_attribute_rule_tenant_id_tenant"),
    )
    op.create_table(
        "tenant_day_usage",
        sa.Column("tenant_id", sa.Integer, nullable=False),
        sa.Column("day", sa.Integer, nullable=False),
        sa.Column("bytes", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "day", name="pk_tenant_day_usage"),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenant.id"], name="fk_tenant_day_usage_tenant_id_tenant"),
    )
