"""Tests that the report on disks is shown to operators and tenants, over REST and by `logsieve tenant storage`."""

import asyncio
import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from backend.app import create_app
from backend.tenants.keys import KeyService
from backend.tenants.service import TenantService
from kit.clock import SystemClock
from kit.settings import Settings
from schema.control.changes import changing, this_user
from schema.control.database import opened
from schema.control.models import Purpose
from schema.control.storage import (
    PredictedLoss,
    StorageReport,
    TenantStorage,
    VolumeStorage,
    keep_from,
    read_kept_tenants,
    save_report,
)
from stack.cli.commands import application

DAY = 20_000
"""2024-10-04."""

LOSS = PredictedLoss(on=DAY + 3, first_day=DAY - 9, last_day=DAY - 8, bytes=2 * 2**20)
VOLUME = VolumeStorage(
    server="http://one:8123", total=1_000, used=880, logs=700, freed_later=0, over=0, target_reached_on=DAY + 3
)


def report(acme: int, other: int) -> StorageReport:
    return StorageReport(
        examined_at_ns=DAY * 86_400 * 10**9,
        target_percent=90,
        guaranteed=100,
        volumes=(VOLUME,),
        tenants={
            acme: TenantStorage(bytes=3 * 2**30, share=2**30, daily=2**20, first_day=DAY - 9, loss=LOSS),
            other: TenantStorage(bytes=5, share=5, daily=1, first_day=None),
        },
    )


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch, control_home: Path) -> Settings:
    monkeypatch.setenv("LOGSIEVE_HOME", str(control_home))
    monkeypatch.setenv("LOGSIEVE_CLICKHOUSE_URL", "http://127.0.0.1:9")
    return Settings()


async def prepare(settings: Settings) -> dict[str, str]:
    """Creates tenants and a report. Returns an admin key of each tenant."""
    async with opened(settings.control_plane_url) as engine:
        service, ids, keys = TenantService(engine, SystemClock()), {}, {}
        for name in ("acme", "other", "_operator"):
            ids[name] = (await service.create_tenant(name, 30, 4096)).id
            keys[name] = (await KeyService(engine, SystemClock()).create_key(name, Purpose.admin, "")).text
        async with engine.begin() as connection:
            await save_report(connection, report(ids["acme"], ids["other"]))
            tenants = await read_kept_tenants(connection)
        async with changing(engine, SystemClock(), this_user()) as change:
            await keep_from(change, ids["acme"], tenants[ids["acme"]], DAY - 9)
    return keys


def test_an_operator_sees_all_and_a_tenant_itself(settings: Settings) -> None:
    keys = asyncio.run(prepare(settings))
    with TestClient(create_app(settings, SystemClock())) as client:
        answers = {
            name: client.get("/api/v1/admin/storage", headers={"Authorization": f"Bearer {key}"}).json()
            for name, key in keys.items()
        }
    of_all = answers["_operator"]
    assert [each["tenant"] for each in of_all["tenants"]] == ["_operator", "acme", "other"]
    assert (of_all["volumes"][0]["used_percent"], of_all["volumes"][0]["target_reached_on"]) == (88.0, "2024-10-07")
    assert answers["acme"]["volumes"] == []
    [acme] = answers["acme"]["tenants"]
    assert acme == of_all["tenants"][1]
    assert (acme["stored_bytes"], acme["share_bytes"], acme["kept_from"]) == (3 * 2**30, 2**30, "2024-09-25")
    assert acme["predicted_loss"] == {
        "on": "2024-10-07",
        "first_day": "2024-09-25",
        "last_day": "2024-09-26",
        "bytes": 2 * 2**20,
    }
    [other] = answers["other"]["tenants"]
    assert (other["oldest_day"], other["kept_from"], other["predicted_loss"]) == (None, None, None)


def test_the_command_shows_the_same(settings: Settings) -> None:
    asyncio.run(prepare(settings))
    table = CliRunner().invoke(application(), ["tenant", "storage"], env={"COLUMNS": "200"})
    assert table.exit_code == 0, table.output
    assert "2024-09-25 to 2024-09-26 (2.0 MiB) on 2024-10-07" in table.output
    assert "3.0 GiB" in table.output
    shown = json.loads(CliRunner().invoke(application(), ["tenant", "storage", "acme", "--json"]).output)
    assert [each["tenant"] for each in shown["tenants"]] == ["acme"]


@pytest.mark.usefixtures("settings")
def test_before_the_first_report_it_says_that_there_is_none() -> None:
    assert "no loader has examined the disks yet" in CliRunner().invoke(application(), ["tenant", "storage"]).output
    shown = json.loads(CliRunner().invoke(application(), ["tenant", "storage", "--json"]).output)
    assert (shown["examined_at"], shown["volumes"]) == (None, [])


def test_an_unknown_tenant_is_an_error(settings: Settings) -> None:
    asyncio.run(prepare(settings))
    done = CliRunner().invoke(application(), ["tenant", "storage", "nobody"])
    assert "there is no tenant 'nobody'" in str(done.exception)
