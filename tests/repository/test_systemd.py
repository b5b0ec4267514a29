"""Tests that the units in deploy/systemd use existing commands and settings. Starts no service."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from backend.main import DRAIN_SECONDS as API_SECONDS
from ingest.receiver.listen import DRAIN_SECONDS as RECEIVER_SECONDS
from kit.folders import PACKAGES
from kit.settings import Settings
from stack.cli.commands import COMMANDS
from stack.generate.setting_list import setting_lines
from stack.services import Service

FOLDER: Final = PACKAGES / "deploy" / "systemd"
UNITS: Final = {path.stem.removeprefix("logsieve-"): path.read_text() for path in sorted(FOLDER.glob("*.service"))}
RUNNING: Final = {name: text for name, text in UNITS.items() if name != "migrate"}


def values(unit: str, name: str) -> list[str]:
    return re.findall(rf"^{name}=(.*)$", unit, re.MULTILINE)


def seconds(unit: str) -> int:
    (value,) = values(unit, "TimeoutStopSec")
    return int(value)


def test_each_process_of_ours_has_a_unit() -> None:
    assert set(UNITS) == {"migrate", "receiver", "loader", "api", "alerts"}


def test_the_migration_comes_before_every_process() -> None:
    (before,) = values(UNITS["migrate"], "Before")
    assert {*before.split()} == {f"logsieve-{name}.service" for name in RUNNING}


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_runs_a_command_of_ours(name: str) -> None:
    assert values(UNITS[name], "ExecStart") == [f"/opt/logsieve/bin/logsieve {name}"]
    assert name in COMMANDS


def test_every_setting_is_one() -> None:
    texts = [*UNITS.values(), (FOLDER / "logsieve.env").read_text()]
    named = {each for text in texts for each in re.findall(r"LOGSIEVE_[A-Z_]+", text)}

    assert {"LOGSIEVE_HOME", "LOGSIEVE_SECRETS_DIR", "LOGSIEVE_CLICKHOUSE_URL"} <= named
    assert named - {"LOGSIEVE_SECRETS_DIR"} <= {line.variable for line in setting_lines(Settings())}


def test_the_settings_file_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for line in (FOLDER / "logsieve.env").read_text().splitlines():
        if not line.startswith("#"):
            monkeypatch.setenv(*line.split("=", 1))
    # systemd prefixes the names of the folder's files with the name of the credential, `logsieve`.
    for name in ("clickhouse_password", "kafka_password"):
        (tmp_path / f"logsieve_{name}").write_text("chosen")
    monkeypatch.setenv("LOGSIEVE_SECRETS_DIR", str(tmp_path))
    settings = Settings()

    assert settings.clickhouse_secret == "chosen"
    assert settings.kafka_security == "SASL_SSL"
    assert settings.ingest_url == "https://otlp.example:4318", "deploy/nginx/logsieve.conf listens there"


@pytest.mark.parametrize("name", UNITS)
def test_secrets_and_settings_come_from_one_place(name: str) -> None:
    assert values(UNITS[name], "EnvironmentFile") == ["/etc/logsieve/logsieve.env"]
    assert values(UNITS[name], "LoadCredential") == ["logsieve:/etc/logsieve/secrets"]
    assert "LOGSIEVE_SECRETS_DIR=%d" in values(UNITS[name], "Environment")


def test_processes_have_the_time_that_a_stop_takes() -> None:
    supervised = Service("any", command=None).grace_seconds

    assert seconds(UNITS["receiver"]) > max(RECEIVER_SECONDS, supervised)
    assert seconds(UNITS["loader"]) > supervised
    assert seconds(UNITS["api"]) >= max(API_SECONDS, supervised)


@pytest.mark.parametrize("name", RUNNING)
def test_processes_are_started_again_for_ever(name: str) -> None:
    assert values(RUNNING[name], "Restart") == ["always"]
    assert values(RUNNING[name], "StartLimitIntervalSec") == ["0"]
    (files,) = values(RUNNING[name], "LimitNOFILE")
    assert int(files) > 2 * Settings().connections_max


@pytest.mark.parametrize("name", UNITS)
def test_units_may_write_their_own_folder_only(name: str) -> None:
    hardened = {"DynamicUser": "yes", "ProtectSystem": "strict", "ProtectHome": "yes", "NoNewPrivileges": "yes"}

    assert {key: values(UNITS[name], key) for key in hardened} == {key: [value] for key, value in hardened.items()}
    assert values(UNITS[name], "CapabilityBoundingSet") == [""]
    assert f"LOGSIEVE_HOME=/var/lib/{values(UNITS[name], 'StateDirectory')[0]}" in values(UNITS[name], "Environment")


def test_the_documented_way_to_run_a_command_has_the_properties_of_the_units() -> None:
    operations = (PACKAGES / "docs" / "operations" / "deployment.md").read_text()
    (command,) = re.findall(r"systemd-run (?:.*\\\n)+.*", operations)
    unit = UNITS["api"]

    for name in ("User", "DynamicUser", "StateDirectory", "EnvironmentFile", "LoadCredential"):
        (value,) = values(unit, name)
        assert f"-p {name}={value} " in command
    assert "--setenv=LOGSIEVE_HOME=/var/lib/logsieve " in command


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="this machine has no systemd-analyze")
def test_systemd_understands_the_units(tmp_path: Path) -> None:
    for name, text in UNITS.items():
        # systemd-analyze requires that the program exists.
        (tmp_path / f"logsieve-{name}.service").write_text(text.replace("/opt/logsieve/bin/logsieve", sys.executable))
    command = ["systemd-analyze", "verify", "--man=no", *map(str, sorted(tmp_path.glob("*.service")))]
    checked = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert (checked.returncode, checked.stdout + checked.stderr) == (0, "")
