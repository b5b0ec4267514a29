"""store the progress and the proof of erasures"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tenant_erasure", sa.Column("progress", sa.Text))
