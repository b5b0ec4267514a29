"""Tests how the audit log stores the values before and after a change."""

import asyncio
import json
from pathlib import Path

import pytest
from sqlalchemy import select

from kit.clock import ManualClock
from kit.settings import Settings
from schema.control.changes import Actor, Shown, changing
from schema.control.database import opened
from schema.control.models import AuditEntry


def stored(settings: Settings, before: Shown, after: Shown) -> tuple[str, str]:
    """Returns the texts of an entry with these values, as they are in the control plane."""

    async def run() -> tuple[str, str]:
        async with opened(settings.control_plane_url) as engine:
            async with changing(engine, ManualClock(), Actor("test")) as change:
                await change.note("policy.redact", (1, "acme"), before, after)
            async with engine.connect() as connection:
                row = (await connection.execute(select(AuditEntry.before, AuditEntry.after))).one()
        return row.before, row.after

    return asyncio.run(run())


@pytest.fixture
def settings(tmp_path: Path, control_url: str) -> Settings:
    return Settings(home=tmp_path, control_url=control_url)


def test_characters_outside_of_ascii_take_the_bytes_of_utf8(settings: Settings) -> None:
    before, after = {"expression": "密码🔑" * 100}, {"expression": 'a\0"\n\x7f\x85\u2028é'}
    texts = stored(settings, before, after)
    assert tuple(map(json.loads, texts)) == (before, after)
    assert len(texts[0].encode()) == len('{"expression":""}') + 100 * (3 + 3 + 4)


def test_a_lone_surrogate_can_be_stored(settings: Settings) -> None:
    values = {"label": "\udc80é"}
    assert json.loads(stored(settings, {}, values)[1]) == values
