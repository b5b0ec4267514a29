"""Tests that ClickHouse can be migrated after a migration was killed between two statements about the version."""

from types import SimpleNamespace
from typing import cast

import pytest
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from clickhouse_connect.driver.client import Client

from schema.clickhouse.versions import keep_newest_version
from schema.revisions import revisions


class Server:
    """Server with the versions of Alembic's table. Without `is_migrated`, it has no such table."""

    def __init__(self, *versions: str, is_migrated: bool = True) -> None:
        self.versions = [*versions]
        self.is_migrated = is_migrated

    def command(self, statement: str, parameters: dict[str, str] | None = None, **_: object) -> int:
        if statement.startswith("EXISTS TABLE"):
            return int(self.is_migrated)
        assert parameters is not None
        self.versions = [each for each in self.versions if each != parameters["version"]]
        return 0

    def query(self, _: str) -> SimpleNamespace:
        assert self.is_migrated
        return SimpleNamespace(result_rows=[(version,) for version in {*self.versions}])


def steps(server: Server) -> list[str]:
    """Returns the revisions that a migration of the server would run."""
    script = ScriptDirectory.from_config(revisions("clickhouse"))
    found = script._upgrade_revs("head", cast("str", tuple(server.versions)))
    return [each.revision.revision for each in found if hasattr(each, "revision")]


def test_a_migration_continues_after_the_newest_of_two_versions() -> None:
    server = Server("0005", "0006")
    with pytest.raises(CommandError, match="overlaps"):
        steps(server)

    keep_newest_version(cast("Client", server))

    assert server.versions == ["0006"]
    assert steps(server)[0] == "0007"


@pytest.mark.parametrize("server", [Server("0006"), Server("0006", "0006"), Server(), Server(is_migrated=False)])
def test_other_versions_stay(server: Server) -> None:
    before = [*server.versions]

    keep_newest_version(cast("Client", server))

    assert server.versions == before
