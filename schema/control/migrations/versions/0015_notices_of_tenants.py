"""add an index by which the notices of a tenant within an hour are counted"""

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_alert_notice_tenant_id", "alert_notice", ["tenant_id", "created_at_ns"])
