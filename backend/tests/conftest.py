"""The whole application over an empty control plane, with a tenant and a key of each purpose."""

import asyncio
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
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
from tests.control_database import write_migrated

UNREACHABLE = "http://127.0.0.1:9"


@dataclass(frozen=True, slots=True)
class Tenant:
    """A file of a control plane with a tenant, and the headers of the tenant's keys by their purposes."""

    file: Path
    keys: dict[str, str]


@pytest.fixture(scope="session")
def _tenant(tmp_path_factory: pytest.TempPathFactory) -> Tenant:
    home = tmp_path_factory.mktemp("tenant")
    file = home / "control.db"
    write_migrated(file)

    async def create() -> dict[str, str]:
        async with opened(Settings(home=home).control_plane_url) as engine:
            await TenantService(engine, SystemClock()).create_tenant("acme", 7, 4096)
            service = KeyService(engine, SystemClock())
            return {each: f"Bearer {(await service.create_key('acme', each, '')).text}" for each in Purpose}

    return Tenant(file, asyncio.run(create()))


@pytest.fixture
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, _tenant: Tenant) -> dict[str, str]:
    """Returns the headers of a key of each purpose, of one tenant."""
    shutil.copyfile(_tenant.file, tmp_path / "control.db")
    monkeypatch.setenv("LOGSIEVE_HOME", str(tmp_path))
    monkeypatch.setenv("LOGSIEVE_CLICKHOUSE_URL", UNREACHABLE)
    return _tenant.keys


@pytest.fixture
def client(keys: dict[str, str]) -> Iterator[TestClient]:
    with TestClient(create_app(Settings(), SystemClock()), headers={"authorization": keys["query"]}) as client:
        yield client


@pytest.fixture(scope="module")
def shared_client(tmp_path_factory: pytest.TempPathFactory, _tenant: Tenant) -> Iterator[TestClient]:
    """Yields a client of an application that all tests of a file share, because its start takes a while. For requests
    that are refused or only read, with the keys of fixture `keys`."""
    home = tmp_path_factory.mktemp("shared")
    shutil.copyfile(_tenant.file, home / "control.db")
    app = create_app(Settings(home=home, clickhouse_url=UNREACHABLE), SystemClock())
    with TestClient(app, headers={"authorization": _tenant.keys["query"]}) as client:
        yield client
