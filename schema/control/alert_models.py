"""The control plane's tables of alerts. Times are nanoseconds since the Unix epoch."""

from sqlalchemy import BigInteger, Double, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from schema.control.counter import COUNTER
from schema.control.models import Base


class AlertRule(Base):
    """An alert rule: a stats query of a tenant, which is evaluated at fixed intervals, and a condition on one column of
    its answer.

    `labels` is a JSON object of texts. `channels` is a JSON array of backend.alerts.channels.Channel. It holds secrets,
    and no answer, log line or audit entry shows them.
    """

    __tablename__ = "alert_rule"
    __table_args__ = (UniqueConstraint("tenant_id", "name"), Index("ix_alert_rule_due_ns", "due_ns"))

    id: Mapped[str] = mapped_column(String(12), primary_key=True)
    tenant_id: Mapped[int] = mapped_column(ForeignKey("tenant.id"))
    name: Mapped[str] = mapped_column(String(100))
    query: Mapped[str] = mapped_column(Text)
    range_seconds: Mapped[int]
    interval_seconds: Mapped[int]
    condition_column: Mapped[str] = mapped_column(Text)
    comparison: Mapped[str] = mapped_column(String(8))
    threshold: Mapped[float | None] = mapped_column(Double)
    for_seconds: Mapped[int]
    severity: Mapped[str] = mapped_column(String(8))
    labels: Mapped[str] = mapped_column(Text)
    channels: Mapped[str] = mapped_column(Text)
    muted_until_ns: Mapped[int | None] = mapped_column(BigInteger)
    revision: Mapped[int]
    """Number of times that the rule was saved. A change names the revision that it replaces."""
    created_at_ns: Mapped[int] = mapped_column(BigInteger)
    created_by: Mapped[str] = mapped_column(String(255))
    changed_at_ns: Mapped[int] = mapped_column(BigInteger)
    changed_by: Mapped[str] = mapped_column(String(255))
    state: Mapped[str] = mapped_column(String(8))
    detail: Mapped[str] = mapped_column(Text)
    """Reason of state `error`; empty in other states."""
    evaluated_at_ns: Mapped[int | None] = mapped_column(BigInteger)
    due_ns: Mapped[int] = mapped_column(BigInteger)
    claim: Mapped[str | None] = mapped_column(String(32))
    """Random text that identifies the claim of the worker that evaluates the rule. Another worker may claim the rule
    after `claimed_until_ns`."""
    claimed_until_ns: Mapped[int] = mapped_column(BigInteger)


class AlertGroup(Base):
    """A group of a rule's query that is pending or firing since `since_ns`.

    `group` is a JSON array of the values of the query's fields, `group_key` the SHA-256 of its text. `is_notified` is
    true if a notice of the present firing was written for at least one channel.
    """

    __tablename__ = "alert_group"

    rule_id: Mapped[str] = mapped_column(String(12), primary_key=True)
    group_key: Mapped[str] = mapped_column(String(64), primary_key=True)
    tenant_id: Mapped[int] = mapped_column(ForeignKey("tenant.id"))
    group: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(String(8))
    since_ns: Mapped[int] = mapped_column(BigInteger)
    value: Mapped[float | None] = mapped_column(Double)
    is_notified: Mapped[bool]


class AlertEvent(Base):
    """A change of state of a group. If `group` is the JSON `null`, a change of the rule itself to or from `error` or
    `no_data`, or the number of notices that a limit left out, in `detail`."""

    __tablename__ = "alert_event"
    __table_args__ = (Index("ix_alert_event_rule_id", "rule_id", "id"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(COUNTER, primary_key=True)
    tenant_id: Mapped[int] = mapped_column(ForeignKey("tenant.id"))
    rule_id: Mapped[str] = mapped_column(String(12))
    at_ns: Mapped[int] = mapped_column(BigInteger)
    group: Mapped[str] = mapped_column(Text)
    before: Mapped[str] = mapped_column(String(8))
    after: Mapped[str] = mapped_column(String(8))
    value: Mapped[float | None] = mapped_column(Double)
    detail: Mapped[str] = mapped_column(Text)


class AlertNotice(Base):
    """A message to one channel, written in the transaction of the change of state that it reports (an outbox).

    `channel` is the JSON of the channel. After the notice was sent or has failed finally, `channel` is only its kind,
    and `content` has no texts of users and records. `state` is `waiting`, `sent` or `failed`. A sender claims a waiting
    notice by moving `due_ns` into the future, and writes a random text into `claim`.
    """

    __tablename__ = "alert_notice"
    __table_args__ = (
        Index("ix_alert_notice_state", "state", "due_ns"),
        Index("ix_alert_notice_rule_id", "rule_id", "created_at_ns"),
        Index("ix_alert_notice_tenant_id", "tenant_id", "created_at_ns"),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    tenant_id: Mapped[int] = mapped_column(ForeignKey("tenant.id"))
    rule_id: Mapped[str] = mapped_column(String(12))
    channel: Mapped[str] = mapped_column(Text)
    content: Mapped[str] = mapped_column(Text)
    created_at_ns: Mapped[int] = mapped_column(BigInteger)
    state: Mapped[str] = mapped_column(String(8))
    due_ns: Mapped[int] = mapped_column(BigInteger)
    attempts: Mapped[int]
    detail: Mapped[str] = mapped_column(Text)
    claim: Mapped[str | None] = mapped_column(String(32))
    """Random text that identifies the claim of the worker that sends the notice; None after a failed attempt."""
