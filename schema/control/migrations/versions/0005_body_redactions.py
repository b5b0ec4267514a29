"""create the redactions of bodies"""

import sqlalchemy as sa
from alembic import op

from schema.control.revision_triggers import EVENTS, create_trigger

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "body_redaction",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("tenant_id", sa.Integer),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("expression", sa.String(512)),
        sa.Column("created_at_ns", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_body_redaction"),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenant.id"], name="fk_body_redaction_tenant_id_tenant"),
    )
    dialect = op.get_context().dialect.name
    for event in EVENTS:
        op.execute(create_trigger(dialect, "body_redaction", event, "tenant_id"))
