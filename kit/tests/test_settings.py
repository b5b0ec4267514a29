"""Tests the file that LOGSIEVE_CONFIG names."""

from pathlib import Path

import pytest
from pydantic_settings import SettingsError

from kit.settings import Settings


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "logsieve.toml"
    monkeypatch.setenv("LOGSIEVE_CONFIG", str(path))
    return path


def test_the_environment_wins_over_the_file(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config.write_text("lanes = 7\napi_port = 9999\n")
    monkeypatch.setenv("LOGSIEVE_LANES", "8")

    settings = Settings()

    assert (settings.lanes, settings.api_port) == (8, 9999)


def test_a_file_that_is_not_there_is_said(config: Path) -> None:
    with pytest.raises(SettingsError, match="which cannot be read: No such file"):
        Settings()
    config.mkdir()
    with pytest.raises(SettingsError, match="cannot be read"):
        Settings()


@pytest.mark.parametrize("content", [b"lanes = ", b"lanes: 7", b"\xff\xfe"])
def test_a_file_that_is_no_toml_is_said(config: Path, content: bytes) -> None:
    config.write_bytes(content)

    with pytest.raises(SettingsError, match="which is not TOML: "):
        Settings()
