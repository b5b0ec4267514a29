"""store which shards have rows of a tenant"""

import sqlalchemy as sa
from alembic import op

from schema.control.revision_triggers import EVENTS, create_trigger

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "tenant_shard",
        sa.Column("tenant_id", sa.Integer, nullable=False),
        sa.Column("shard", sa.Integer, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "shard", name="pk_tenant_shard"),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenant.id"], name="fk_tenant_shard_tenant_id_tenant"),
    )
    dialect = op.get_context().dialect.name
    for event in EVENTS:
        op.execute(create_trigger(dialect, "tenant_shard", event, "tenant_id"))
