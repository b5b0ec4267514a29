"""store how many partitions each tenant's messages may use, and how many before the last change"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tenant_limits", sa.Column("partitions", sa.Integer))
    op.add_column("tenant_limits", sa.Column("partitions_before", sa.Integer))
    op.add_column("tenant_limits", sa.Column("partitions_since_ns", sa.BigInteger))
