"""Commands over a control plane that cannot be used end in a sentence that says what to do."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.running_stack import logsieve

COMMANDS = [("tenant", "list"), ("policy", "list"), ("retention", "run")]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_before_migrate(tmp_path: Path, command: tuple[str, ...]) -> None:
    done = logsieve(tmp_path, 0, *command)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("unavailable: the control plane was not migrated: no such table: ")
    assert done.stderr.endswith("; run `logsieve migrate`\n")


@pytest.mark.parametrize("command", [("tenant", "list"), ("migrate",)], ids=" ".join)
def test_while_the_database_is_unreachable(tmp_path: Path, command: tuple[str, ...]) -> None:
    url = "postgresql+asyncpg://logsieve@127.0.0.1:9/control"
    done = logsieve(tmp_path, 0, *command, LOGSIEVE_CONTROL_URL=url)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("unavailable: the control plane cannot be used: ")
    assert done.stderr.endswith("; start its database, or correct LOGSIEVE_CONTROL_URL\n")


def test_a_migration_by_an_older_release_than_the_last_one(control_home: Path) -> None:
    with closing(sqlite3.connect(control_home / "control.db")) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    done = logsieve(control_home, 0, "migrate")

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "conflict: the control plane was migrated by a newer release (revision 9999), and this release cannot use its"
        " tables: run that release, or restore the backup from before it\n"
    )


def test_a_tenant_that_does_not_exist_is_not_asked_about(control_home: Path) -> None:
    done = logsieve(control_home, 0, "tenant", "delete", "nobody")

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "not_found: there is no tenant 'nobody'; `logsieve tenant list` shows all\n"
