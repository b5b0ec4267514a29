"""store the lane to which a tenant's records move, beside the cohort to which they move"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tenant_cohort", sa.Column("lane", sa.Integer))
