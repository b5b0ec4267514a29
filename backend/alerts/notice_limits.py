"""Limits the notices of a tenant: waiting notices, notices in an hour, and notices that are kept for the history."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import ColumnElement, delete, func, or_, select, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from backend.alerts.channels import ChannelKind
from backend.alerts.control_plane import answering
from kit.clock import CLOCKS_APART_NS
from schema.control.alert_models import AlertNotice, AlertRule

MAX_WAITING: Final = 1_000
"""Largest number of notices of one tenant that wait to be sent. Further ones are left out, and the history says so."""
MAX_HOURLY: Final = 3_000
"""Largest number of notices of one tenant in an hour, one for each channel. Further ones are left out, and the history
says so.

All groups of 500 rules with five groups each may begin to fire within an hour. Without this limit, one rule whose query
has new groups in each minute causes 1,000 notices a minute, each of which is written, sent and kept.
"""
MAX_HOURLY_MAILS: Final = 500
"""Largest number of notices by e-mail of one tenant in an hour. They also count for MAX_HOURLY.

Each has up to 10 recipients of the tenant's choice, and leaves through the SMTP server of the installation, whose
reputation all tenants share.
"""
HOUR_NS: Final = 3_600 * 10**9
_LOCK: Final = text("SELECT pg_advisory_xact_lock(7164776, :tenant_id)")
"""Statement that locks the notices of a tenant against other transactions that count and add them. The first number
distinguishes this lock from that of migrations (`schema/migrate.py`)."""
KEPT_SECONDS: Final = 7 * 86_400
"""Seconds after which a notice is removed from the history of its rule."""
MAX_KEPT: Final = 10_000
"""Largest number of sent and failed notices of one tenant that are kept for the histories of its rules, which show 200
for each rule. The oldest are removed first. It is larger than MAX_HOURLY, because notices of the last hour are counted
for that limit."""


@dataclass(slots=True)
class Room:
    """Numbers of notices that a tenant has. Decides which further notices it may have, and counts them."""

    waiting: int = 0
    hourly: int = 0
    hourly_mails: int = 0

    def take(self, kind: ChannelKind) -> str | None:
        """Counts a further notice to a channel of this kind. If the tenant may not have it, counts nothing and returns
        the reason."""
        is_mail = kind is ChannelKind.email
        if self.waiting >= MAX_WAITING:
            return f"{MAX_WAITING:,} notices of the tenant wait to be sent, the largest number allowed"
        if self.hourly >= MAX_HOURLY:
            return f"the tenant had {MAX_HOURLY:,} notices within an hour, the largest number allowed"
        if is_mail and self.hourly_mails >= MAX_HOURLY_MAILS:
            return f"the tenant had {MAX_HOURLY_MAILS:,} notices by e-mail within an hour, the largest number allowed"
        self.waiting += 1
        self.hourly += 1
        self.hourly_mails += is_mail
        return None


async def read_room(connection: AsyncConnection, tenant_id: int, now_ns: int) -> Room:
    """Counts the notices of a tenant that wait, and those of the last hour. No other transaction can add notices of the
    tenant until this one ends.

    A transaction that locks rows of rules must do that first. Otherwise, two transactions could wait for each other.
    """
    if connection.dialect.name == "postgresql":  # SQLite allows one writer at a time.
        await connection.execute(_LOCK, {"tenant_id": tenant_id})
    owned = AlertNotice.tenant_id == tenant_id
    waiting = select(func.count()).select_from(AlertNotice).where(owned, AlertNotice.state == "waiting")
    # A notice keeps its channel while it waits, and the channel's kind afterwards.
    is_mail = or_(
        AlertNotice.channel == str(ChannelKind.email),
        AlertNotice.channel.startswith('[{"kind":"email"', autoescape=True),
    )
    hourly = select(func.count(), func.count().filter(is_mail)).select_from(AlertNotice)
    counts = await connection.execute(hourly.where(owned, _is_of_last_hour(now_ns)))
    number, mails = counts.one()
    return Room(await connection.scalar(waiting) or 0, number, mails)


async def remove_notices_of(connection: AsyncConnection, tenant_id: int, rule_id: str, now_ns: int) -> None:
    """Removes the sent and failed notices of a deleted rule.

    Notices of the last hour stay until `remove_old` removes them, because they count for MAX_HOURLY. They have no text
    that users chose, except the recipients that an SMTP server refused. Waiting notices are still sent.
    """
    await connection.execute(
        delete(AlertNotice).where(
            AlertNotice.tenant_id == tenant_id,
            AlertNotice.rule_id == rule_id,
            AlertNotice.state != "waiting",
            ~_is_of_last_hour(now_ns),
        )
    )


async def remove_old(engine: AsyncEngine, now_ns: int) -> None:
    """Removes notices that are older than KEPT_SECONDS, even if they were not sent. Removes sent and failed notices of
    deleted rules that are older than an hour, and the oldest of a tenant that has more than MAX_KEPT.

    Raises Unavailable if the control plane fails, or if one of the transactions is not answered.
    """
    is_finished = AlertNotice.state != "waiting"
    is_old = AlertNotice.created_at_ns < now_ns - KEPT_SECONDS * 10**9
    is_left = is_finished & ~_is_of_last_hour(now_ns) & AlertNotice.rule_id.not_in(select(AlertRule.id))
    async with answering(), engine.begin() as connection:
        await connection.execute(delete(AlertNotice).where(is_old | is_left))
    by_tenant = select(AlertNotice.tenant_id).where(is_finished).group_by(AlertNotice.tenant_id)
    async with answering(), engine.connect() as connection:
        too_many = (await connection.scalars(by_tenant.having(func.count() > MAX_KEPT))).all()
    for tenant_id in too_many:
        # A transaction for each tenant, so that other writers need not wait for all of them.
        newest_first = select(AlertNotice.id).where(AlertNotice.tenant_id == tenant_id, is_finished)
        beyond = newest_first.order_by(AlertNotice.created_at_ns.desc(), AlertNotice.id).offset(MAX_KEPT)
        async with answering(), engine.begin() as connection:
            await connection.execute(delete(AlertNotice).where(AlertNotice.id.in_(beyond)))


def _is_of_last_hour(now_ns: int) -> ColumnElement[bool]:
    """Returns the condition for notices that count for MAX_HOURLY. Those that were created while a clock was ahead do
    not count."""
    return AlertNotice.created_at_ns.between(now_ns - HOUR_NS + 1, now_ns + CLOCKS_APART_NS)
