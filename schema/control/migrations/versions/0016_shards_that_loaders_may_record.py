"""store the shards for which loaders may record tenants"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "shard",
        sa.Column("number", sa.Integer, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_shard"),
    )
