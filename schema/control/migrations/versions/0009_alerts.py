"""create the alert rules, the states of their groups, their history and their notices"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # The tables have no revision triggers, because processes keep no copy of alerts: each request and each evaluation
    # reads them.
    op.create_table(
        "alert_rule",
        sa.Column("id", sa.String(12), nullable=False),
        sa.Column("tenant_id", sa.Integer, nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("range_seconds", sa.Integer, nullable=False),
        sa.Column("interval_seconds", sa.Integer, nullable=False),
        sa.Column("condition_column", sa.Text, nullable=False),
        sa.Column("comparison", sa.String(8), nullable=False),
        sa.Column("threshold", sa.Double),
        sa.Column("for_seconds", sa.Integer, nullable=False),
        sa.Column("severity", sa.String(8), nullable=False),
        sa.Column("labels", sa.Text, nullable=False),
        sa.Column("channels", sa.Text, nullable=False),
        sa.Column("muted_until_ns", sa.BigInteger),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("created_at_ns", sa.BigInteger, nullable=False),
        sa.Column("created_by", sa.String(255), nullable=False),
        sa.Column("changed_at_ns", sa.BigInteger, nullable=False),
        sa.Column("changed_by", sa.String(255), nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
        sa.Column("evaluated_at_ns", sa.BigInteger),
        sa.Column("due_ns", sa.BigInteger, nullable=False),
        sa.Column("claim", sa.String(32)),
        sa.Column("claimed_until_ns", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_alert_rule"),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenant.id"], name="fk_alert_rule_tenant_id_tenant"),
        sa.UniqueConstraint("tenant_id", "name", name="uq_alert_rule_tenant_id"),
    )
    op.create_index("ix_alert_rule_due_ns", "alert_rule", ["due_ns"])
    op.create_table(
        "alert_group",
        sa.Column("rule_id", sa.String(12), nullable=False),
        sa.Column("group_key", sa.String(64), nullable=False),
        sa.Column("tenant_id", sa.Integer, nullable=False),
        sa.Column("group", sa.Text, nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("since_ns", sa.BigInteger, nullable=False),
        sa.Column("value", sa.Double),
        sa.Column("is_notified", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("rule_id", "group_key", name="pk_alert_group"),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenant.id"], name="fk_alert_group_tenant_id_tenant"),
    )
    op.create_table(
        "alert_event",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("tenant_id", sa.Integer, nullable=False),
        sa.Column("rule_id", sa.String(12), nullable=False),
        sa.Column("at_ns", sa.BigInteger, nullable=False),
        sa.Column("group", sa.Text, nullable=False),
        sa.Column("before", sa.String(8), nullable=False),
        sa.Column("after", sa.String(8), nullable=False),
        sa.Column("value", sa.Double),
        sa.Column("detail", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_alert_event"),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenant.id"], name="fk_alert_event_tenant_id_tenant"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_alert_event_rule_id", "alert_event", ["rule_id", "id"])
    op.create_table(
        "alert_notice",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("tenant_id", sa.Integer, nullable=False),
        sa.Column("rule_id", sa.String(12), nullable=False),
        sa.Column("channel", sa.Text, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("created_at_ns", sa.BigInteger, nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("due_ns", sa.BigInteger, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_alert_notice"),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenant.id"], name="fk_alert_notice_tenant_id_tenant"),
    )
    op.create_index("ix_alert_notice_state", "alert_notice", ["state", "due_ns"])
    op.create_index("ix_alert_notice_rule_id", "alert_notice", ["rule_id", "created_at_ns"])
