"""let a sender of a notice know whether it still holds its claim"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Senders of an earlier release leave the column as it is, so that it may be null while such a sender holds a claim.
    op.add_column("alert_notice", sa.Column("claim", sa.String(32), nullable=True))
