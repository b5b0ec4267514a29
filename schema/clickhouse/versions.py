"""Repairs the table in which Alembic keeps the revision of a ClickHouse database, after an interrupted migration."""

from typing import Final

from clickhouse_connect.driver.client import Client

TABLE: Final = "alembic_version"


def keep_newest_version(client: Client) -> None:
    """Removes all versions but the newest one, if there are several.

    Alembic refuses to upgrade a database with two versions. Its adapter for ClickHouse adds the new version before it
    deletes the former one. A migration that is killed in between leaves both, and all steps of the new one are done.
    """
    *former, _ = sorted(stored_versions(client)) or [""]
    for version in former:
        client.command(
            f"ALTER TABLE {TABLE} DELETE WHERE version_num = {{version:String}}",
            parameters={"version": version},
            settings={"mutations_sync": 2},
        )


def stored_versions(client: Client) -> set[str]:
    """Returns the versions that the database has stored: one, none before the first migration, two after an interrupted
    one."""
    if not client.command(f"EXISTS TABLE {TABLE}"):
        return set()
    return {str(version) for (version,) in client.query(f"SELECT DISTINCT version_num FROM {TABLE}").result_rows}
