"""give ids of 64 bits to the tables whose ids PostgreSQL counts up with every row that a tenant makes"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # The ids of SQLite always have 64 bits.
    if op.get_context().dialect.name != "postgresql":
        return
    for table in ("audit_entry", "alert_event", "attribute_rule", "body_redaction"):
        op.alter_column(table, "id", type_=sa.BigInteger())
        op.execute(f"ALTER SEQUENCE {table}_id_seq AS BIGINT")
