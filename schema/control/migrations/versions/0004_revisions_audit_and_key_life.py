"""count changes; create the audit log, leases and erasures; store expiry and last use of keys"""

import sqlalchemy as sa
from alembic import op

from schema.control.revision_triggers import CREATE_FUNCTION, EVENTS, create_trigger

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

OWNERS = {
    "tenant": "id",
    "tenant_cohort": "tenant_id",
    "tenant_limits": "tenant_id",
    "api_key": "tenant_id",
    "attribute_rule": "tenant_id",
}


def upgrade() -> None:
    op.create_table(
        "control_revision",
        sa.Column("id", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("installation", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_control_revision"),
    )
    op.execute("INSERT INTO control_revision (id, number, installation) VALUES (1, 1, 1)")
    op.add_column("tenant", sa.Column("revision", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("api_key", sa.Column("expires_at_ns", sa.BigInteger))
    op.create_table(
        "api_key_use",
        sa.Column("key_id", sa.String(12), nullable=False),
        sa.Column("used_at_ns", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("key_id", name="pk_api_key_use"),
        sa.ForeignKeyConstraint(["key_id"], ["api_key.id"], name="fk_api_key_use_key_id_api_key"),
    )
    op.create_table(
        "audit_entry",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("at_ns", sa.BigInteger, nullable=False),
        sa.Column("action", sa.String(32), nullable=False),
        sa.Column("tenant_id", sa.Integer),
        sa.Column("tenant", sa.String(63)),
        sa.Column("actor", sa.String(255), nullable=False),
        sa.Column("actor_tenant_id", sa.Integer),
        sa.Column("address", sa.String(64)),
        sa.Column("before", sa.Text, nullable=False),
        sa.Column("after", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit_entry"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_audit_entry_tenant_id", "audit_entry", ["tenant_id", "id"])
    op.create_index("ix_audit_entry_at_ns", "audit_entry", ["at_ns"])
    op.create_table(
        "lease",
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("holder", sa.String(64), nullable=False),
        sa.Column("until_ns", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_lease"),
    )
    op.create_table(
        "tenant_erasure",
        sa.Column("tenant_id", sa.Integer, nullable=False),
        sa.Column("store", sa.String(100), nullable=False),
        sa.Column("ends", sa.Text),
        sa.Column("erased_at_ns", sa.BigInteger),
        sa.PrimaryKeyConstraint("tenant_id", "store", name="pk_tenant_erasure"),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenant.id"], name="fk_tenant_erasure_tenant_id_tenant"),
    )
    dialect = op.get_context().dialect.name
    if dialect == "postgresql":
        op.execute(CREATE_FUNCTION)
    for table, owner in OWNERS.items():
        for event in EVENTS:
            op.execute(create_trigger(dialect, table, event, owner))
