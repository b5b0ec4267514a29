"""Tests of redactions on both databases, up to the copy that receivers use."""

import asyncio
from pathlib import Path

import pytest

from backend.policies.redaction_repository import RedactionInfo
from backend.policies.redactions import MAX_REDACTIONS, RedactionService, checked
from backend.tenants.service import TenantService
from kit.clock import ManualClock
from kit.errors import InvalidRequest, NotFound
from kit.settings import Settings
from schema.control.attribute_rules import EMPTY, read_rules
from schema.control.database import opened
from schema.redactions import Redaction

NOW = 1_790_000_000_000_000_000


def test_a_redaction_is_added_replaced_listed_and_removed(tmp_path: Path, control_url: str) -> None:
    settings = Settings(home=tmp_path, control_url=control_url)

    async def life() -> None:
        async with opened(settings.control_plane_url) as engine:
            tenants, service = TenantService(engine, ManualClock(NOW)), RedactionService(engine, ManualClock(NOW))
            await tenants.create_tenant("acme", 7, 4096)
            await service.add(None, "card", None)
            await service.add("acme", "own", "a+")
            await service.add("acme", "own", "b+")
            shared, own = RedactionInfo(None, "card", None, NOW), RedactionInfo("acme", "own", "b+", NOW)
            assert await service.redactions(None) == await service.redactions("acme") == [shared, own]
            async with engine.connect() as connection:
                book = await read_rules(connection, EMPTY)
                assert await read_rules(connection, book) is book
            assert book.rules(1).redactions == (Redaction("card", None), Redaction("own", "b+"))
            assert book.rules(2).redactions == (Redaction("card", None),)
            await service.remove("acme", "own")
            with pytest.raises(NotFound, match="tenant 'acme' has no redaction 'own'"):
                await service.remove("acme", "own")
            for number in range(MAX_REDACTIONS):
                await service.add("acme", f"own-{number}", "a+")
            with pytest.raises(InvalidRequest, match="more than 20 redactions"):
                await service.add("acme", "one-more", "a+")
            await service.add("acme", "own-1", "c+")

    asyncio.run(life())


@pytest.mark.parametrize(
    ("name", "expression", "reason"),
    [
        ("Own", "a+", "cannot be a redaction's name"),
        ("own", None, "is not built in"),
        ("card", "a+", "is built in"),
        ("own", "", "1 to 512 characters"),
        ("own", "a" * 513, "1 to 512 characters"),
        ("own", "[", "cannot be used"),
        ("own", "a\0", "NUL character"),
    ],
)
def test_what_cannot_be_used_is_refused_with_a_reason(name: str, expression: str | None, reason: str) -> None:
    with pytest.raises(InvalidRequest, match=reason):
        checked(name, expression)
