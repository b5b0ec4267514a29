"""Commands over a control plane that cannot be used end in a sentence that says what to do."""

import logging
import os
import sqlite3
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from stack.cli import entry
from stack.cli.entry import main

COMMANDS = [("tenant", "list"), ("policy", "list"), ("retention", "run")]


@dataclass(frozen=True, slots=True)
class Commands:
    """Runs commands for a home, in this process, because a new one would import all modules again."""

    monkeypatch: pytest.MonkeyPatch
    captured: pytest.CaptureFixture[str]

    def run(self, home: Path, *arguments: str, **environment: str) -> tuple[object, str, str]:
        """Returns the exit code of a command that fails, and what it prints on standard output and error."""
        for name in [name for name in os.environ if name.startswith("LOGSIEVE_")]:
            self.monkeypatch.delenv(name)
        for name, value in {"LOGSIEVE_HOME": str(home), **environment}.items():
            self.monkeypatch.setenv(name, value)
        self.monkeypatch.setattr(sys, "argv", ["logsieve", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = self.captured.readouterr()
        return ended.value.code, printed.out, printed.err


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Commands:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    monkeypatch.setattr(entry, "exempt_from_proxy", lambda: None)
    return Commands(monkeypatch, capsys)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_before_migrate(commands: Commands, tmp_path: Path, command: tuple[str, ...]) -> None:
    code, output, errors = commands.run(tmp_path, *command)

    assert (code, output) == (1, "")
    assert errors.startswith("unavailable: the control plane was not migrated: no such table: ")
    assert errors.endswith("; run `logsieve migrate`\n")


@pytest.mark.parametrize("command", [("tenant", "list"), ("migrate",)], ids=" ".join)
def test_while_the_database_is_unreachable(commands: Commands, tmp_path: Path, command: tuple[str, ...]) -> None:
    url = "postgresql+asyncpg://logsieve@127.0.0.1:9/control"
    code, output, errors = commands.run(tmp_path, *command, LOGSIEVE_CONTROL_URL=url)

    assert (code, output) == (1, "")
    assert errors.startswith("unavailable: the control plane cannot be used: ")
    assert errors.endswith("; start its database, or correct LOGSIEVE_CONTROL_URL\n")


def test_a_migration_by_an_older_release_than_the_last_one(commands: Commands, control_home: Path) -> None:
    with closing(sqlite3.connect(control_home / "control.db")) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    code, output, errors = commands.run(control_home, "migrate")

    assert (code, output) == (1, "")
    assert errors == (
        "conflict: the control plane was migrated by a newer release (revision 9999), and this release cannot use its"
        " tables: run that release, or restore the backup from before it\n"
    )


def test_a_tenant_that_does_not_exist_is_not_asked_about(commands: Commands, control_home: Path) -> None:
    code, output, errors = commands.run(control_home, "tenant", "delete", "nobody")

    assert (code, output) == (1, "")
    assert errors == "not_found: there is no tenant 'nobody'; `logsieve tenant list` shows all\n"
