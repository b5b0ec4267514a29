"""The whole application over an empty control plane, with a tenant and a key of each purpose."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from backend.app import create_app
from backend.tenants.keys import KeyService
from backend.tenants.service import TenantService
from kit.clock import SystemClock
from kit.settings import Settings
from schema.control.database import opened
from schema.control.models import Purpose
from schema.migrate import migrate_control


@pytest.fixture
def keys(control_home: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Returns the headers of a key of each purpose, of one tenant."""
    monkeypatch.setenv("LOGSIEVE_HOME", str(control_home))
    monkeypatch.setenv("LOGSIEVE_CLICKHOUSE_URL", "http://127.0.0.1:9")

    async def create() -> dict[str, str]:
        settings = Settings()
        await migrate_control(settings)
        async with opened(settings.control_plane_url) as engine:
            await TenantService(engine, SystemClock()).create_tenant("acme", 7, 4096)
            service = KeyService(engine, SystemClock())
            return {each: f"Bearer {(await service.create_key('acme', each, '')).text}" for each in Purpose}

    return asyncio.run(create())


@pytest.fixture
def client(keys: dict[str, str]) -> Iterator[TestClient]:
    with TestClient(create_app(Settings(), SystemClock()), headers={"authorization": keys["query"]}) as client:
        yield client
