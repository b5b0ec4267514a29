"""how far the erasure of a deleted tenant came, and its proof"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tenant_erasure", sa.Column("progress", sa.Text))
