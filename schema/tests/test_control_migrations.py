"""The control plane's migrations lead to its models, from nothing and when run again."""

import asyncio
from pathlib import Path

import pytest

from kit.errors import Conflict
from kit.settings import Settings
from schema.drift import control_drift
from schema.migrate import migrate_control


def test_migrations_lead_to_the_models(tmp_path: Path, control_url: str) -> None:
    settings = Settings(home=tmp_path, control_url=control_url)
    for _ in range(2):
        asyncio.run(migrate_control(settings))

        assert asyncio.run(control_drift(settings)) == []


def test_lanes_are_added_and_never_removed(tmp_path: Path, control_url: str) -> None:
    def migrated(lanes: int) -> None:
        settings = Settings(home=tmp_path, control_url=control_url, lanes=lanes, max_lanes=lanes)
        assert asyncio.run(migrate_control(settings)) == tuple(range(lanes))

    migrated(4)
    with pytest.raises(Conflict, match="set it to 4 or more"):
        migrated(2)
    migrated(6)
    with pytest.raises(Conflict, match="set it to 6 or more"):
        migrated(4)


def test_a_missing_table_is_drift(tmp_path: Path, control_url: str) -> None:
    settings = Settings(home=tmp_path, control_url=control_url)

    tables = {drift.difference for drift in asyncio.run(control_drift(settings))}

    assert any("api_key" in difference for difference in tables)
