"""The outbox of notices: rows that are written with a change of state, and sent afterwards at least once.

`backend/alerts/notice_limits.py` limits how many a tenant may have.
"""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy import RowMapping, bindparam, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from backend.alerts.channels import Channel, channels_from_json, channels_to_json
from backend.alerts.claimed_work import CLAIM_SECONDS, FreeSlots, claimed_until, readable
from backend.alerts.due import LIVE, NOW, due_ids, has_passed, select_due
from backend.alerts.notice_limits import Room, read_room
from backend.alerts.notices import Notice, notice_from_json, notice_to_json, without_texts
from backend.alerts.repository import Rule
from backend.alerts.transitions import Group
from schema.control.alert_models import AlertNotice

MAX_ATTEMPTS: Final = 12
"""Number of attempts after which a notice is no longer sent, about 40 minutes after the first attempt."""
FIRST_PAUSE_SECONDS: Final = 2.0
LONGEST_PAUSE_SECONDS: Final = 600.0

_IS_DUE: Final = (
    (AlertNotice.state == "waiting")
    & has_passed(AlertNotice.due_ns, max(CLAIM_SECONDS, LONGEST_PAUSE_SECONDS))
    & AlertNotice.tenant_id.in_(LIVE)
    & AlertNotice.id.not_in(bindparam("held", expanding=True))
)
_SELECT_DUE: Final = select_due(AlertNotice, _IS_DUE)


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A notice that this worker sends. `id` is the same in each attempt. `claim` is the random text of its claim.

    `attempts` includes the present attempt. The row gets this number when the attempt ends, because a worker of an
    earlier release may claim a notice many times and not be able to read it.
    """

    id: str
    tenant_id: int
    channel: Channel
    notice: Notice
    attempts: int
    claim: str


@dataclass(frozen=True, slots=True)
class Added:
    """Ids of the rows that were written, the groups of the notices that have at least one of them, and the number of
    rows that were left out, for each reason. A notice has a row for each channel."""

    ids: list[str]
    groups: set[Group]
    left_out: Counter[str]

    @property
    def problem(self) -> str:
        """Text that says how many notices were left out and why; empty if none was."""
        return "; ".join(f"notices left out: {number}, because {why}" for why, number in self.left_out.items())


@dataclass(frozen=True, slots=True)
class PastNotice:
    """A notice in the history of its rule. `detail` is the reason of the last failed attempt."""

    id: str
    kind: str
    created_at_ns: int
    state: str
    attempts: int
    detail: str


async def add_notices(
    connection: AsyncConnection, rule: Rule, notices: Iterable[Notice], token: str, now_ns: int
) -> Added:
    """Writes a row for each notice and each channel of the rule, as far as the tenant's limits allow.

    `token` is a random text of the transaction, so that no other transaction makes the same ids.
    """
    requested = [
        (number, notice, index, channel)
        for number, notice in enumerate(notices)
        for index, channel in enumerate(rule.content.channels)
    ]
    room = await read_room(connection, rule.tenant_id, now_ns) if requested else Room()
    left_out = Counter[str]()
    rows, groups = [], set[Group]()
    for number, notice, index, channel in requested:
        if why := room.take(channel.kind):
            left_out[why] += 1
            continue
        groups.add(notice.group)
        rows.append(
            {
                "id": hashlib.sha256(f"{token} {number} {index}".encode()).hexdigest()[:32],
                "tenant_id": rule.tenant_id,
                "rule_id": rule.id,
                "channel": channels_to_json((channel,)),
                "content": notice_to_json(notice),
                "created_at_ns": now_ns,
                "state": "waiting",
                "due_ns": now_ns,
                "attempts": 0,
                "detail": "",
            }
        )
    if rows:
        await connection.execute(insert(AlertNotice), rows)
    return Added([str(row["id"]) for row in rows], groups, left_out)


async def claim_notices(
    engine: AsyncEngine, now_ns: int, slots: FreeSlots, claim: str, held: Collection[str] = ()
) -> list[Outgoing]:
    """Claims notices that are due, as many as there are slots. A notice whose sender dies is due again later. `held`
    are the ids of notices that this worker is sending. They may be due if their claims could not be renewed."""
    parameters = {NOW.key: now_ns, "held": list(held)}
    due = await due_ids(engine, _SELECT_DUE, parameters, slots)
    if not due:
        return []
    async with engine.begin() as connection:
        rows = await connection.execute(
            update(AlertNotice)
            # Another worker may have claimed some of them since they were read.
            .where(AlertNotice.id.in_(due), _IS_DUE)
            .values(due_ns=claimed_until(now_ns), claim=claim)
            .returning(*AlertNotice.__table__.columns),
            parameters,
        )
        return readable(rows.mappings(), _outgoing)


async def renew_notices(engine: AsyncEngine, claims: Mapping[str, str], now_ns: int) -> None:
    """Extends claims, by the ids of their notices, except for notices whose attempt ended or that were claimed again
    meanwhile."""
    # Notices that were claimed together have the same claim.
    is_held = AlertNotice.id.in_(claims) & AlertNotice.claim.in_(set(claims.values()))
    async with engine.begin() as connection:
        await connection.execute(
            update(AlertNotice).where(is_held, AlertNotice.state == "waiting").values(due_ns=claimed_until(now_ns))
        )


async def mark_sent(engine: AsyncEngine, notice: Outgoing) -> None:
    """Marks a notice as sent, and removes the secrets of its channel and its texts. Does so even if the claim was lost,
    because the notice was sent."""
    async with engine.begin() as connection:
        values = {"state": "sent", "detail": "", "attempts": notice.attempts, **_finished(notice)}
        await connection.execute(update(AlertNotice).where(AlertNotice.id == notice.id).values(**values))


async def mark_failed(engine: AsyncEngine, notice: Outgoing, detail: str, now_ns: int, *, is_final: bool) -> None:
    """Stores why an attempt failed. The next attempt follows after a pause, which doubles each time until it is
    LONGEST_PAUSE_SECONDS. No attempt follows if `is_final`, or after MAX_ATTEMPTS. Stores nothing if the claim was
    lost, because another worker makes the next attempt already.

    The next attempt uses the channel of `notice`, which may have fewer recipients than before.
    """
    values: dict[str, str | int | None] = {"detail": detail, "attempts": notice.attempts, "claim": None}
    if is_final or notice.attempts >= MAX_ATTEMPTS:
        values |= {"state": "failed", **_finished(notice)}
    else:
        pause = min(FIRST_PAUSE_SECONDS * 2 ** (notice.attempts - 1), LONGEST_PAUSE_SECONDS)
        values |= {"due_ns": now_ns + round(pause * 1e9), "channel": channels_to_json((notice.channel,))}
    is_held = (AlertNotice.id == notice.id) & (AlertNotice.claim == notice.claim)
    async with engine.begin() as connection:
        await connection.execute(update(AlertNotice).where(is_held, AlertNotice.state == "waiting").values(**values))


async def read_notices(connection: AsyncConnection, tenant_id: int, rule_id: str, limit: int) -> list[PastNotice]:
    """Returns the newest notices of a tenant's rule, newest first."""
    rows = await connection.execute(
        select(
            AlertNotice.id,
            AlertNotice.content,
            AlertNotice.created_at_ns,
            AlertNotice.state,
            AlertNotice.attempts,
            AlertNotice.detail,
        )
        .where(AlertNotice.tenant_id == tenant_id, AlertNotice.rule_id == rule_id)
        .order_by(AlertNotice.created_at_ns.desc(), AlertNotice.id)
        .limit(limit)
    )
    found = rows.all()

    def read() -> list[PastNotice]:
        return [
            PastNotice(id, str(notice_from_json(content).kind), created_at_ns, state, attempts, detail)
            for id, content, created_at_ns, state, attempts, detail in found
        ]

    # On a thread, because notices that wait may have 10 MB.
    return await asyncio.to_thread(read)


def _finished(notice: Outgoing) -> dict[str, str]:
    """Returns what a notice keeps that is not sent again: enough for the history and the limits, without secrets and
    long texts."""
    return {"channel": str(notice.channel.kind), "content": notice_to_json(without_texts(notice.notice))}


def _outgoing(row: RowMapping) -> Outgoing:
    channel, notice = channels_from_json(row["channel"])[0], notice_from_json(row["content"])
    return Outgoing(row["id"], row["tenant_id"], channel, notice, row["attempts"] + 1, row["claim"])
