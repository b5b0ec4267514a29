"""create tenants, keys, lanes, cohorts and limits"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "lane",
        sa.Column("number", sa.Integer, nullable=False, autoincrement=False),
        sa.PrimaryKeyConstraint("number", name="pk_lane"),
    )
    op.create_table(
        "tenant",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("name", sa.String(63), nullable=False),
        sa.Column("lane", sa.Integer, nullable=False),
        sa.Column("body_max_bytes", sa.Integer, nullable=False),
        sa.Column("created_at_ns", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_tenant"),
        sa.ForeignKeyConstraint(["lane"], ["lane.number"], name="fk_tenant_lane_lane"),
        sa.UniqueConstraint("name", name="uq_tenant_name"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "tenant_cohort",
        sa.Column("tenant_id", sa.Integer, nullable=False),
        sa.Column("since_ns", sa.BigInteger, nullable=False),
        sa.Column("cohort", sa.String(32), nullable=False),
        sa.Column("retention_days", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "since_ns", name="pk_tenant_cohort"),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenant.id"], name="fk_tenant_cohort_tenant_id_tenant"),
    )
    op.create_table(
        "tenant_limits",
        sa.Column("tenant_id", sa.Integer, nullable=False),
        sa.Column("bytes_per_second", sa.BigInteger),
        sa.Column("records_per_second", sa.BigInteger),
        sa.Column("bytes_per_day", sa.BigInteger),
        sa.Column("concurrent_searches", sa.Integer),
        sa.PrimaryKeyConstraint("tenant_id", name="pk_tenant_limits"),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenant.id"], name="fk_tenant_limits_tenant_id_tenant"),
    )
    op.create_table(
        "api_key",
        sa.Column("id", sa.String(12), nullable=False),
        sa.Column("tenant_id", sa.Integer, nullable=False),
        sa.Column("purpose", sa.String(8), nullable=False),
        sa.Column("sha256", sa.LargeBinary(32), nullable=False),
        sa.Column("label", sa.String(100), nullable=False),
        sa.Column("created_at_ns", sa.BigInteger, nullable=False),
        sa.Column("revoked_at_ns", sa.BigInteger),
        sa.PrimaryKeyConstraint("id", name="pk_api_key"),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenant.id"], name="fk_api_key_tenant_id_tenant"),
        sa.UniqueConstraint("sha256", name="uq_api_key_sha256"),
    )
    op.create_index("ix_api_key_tenant_id", "api_key", ["tenant_id"])
