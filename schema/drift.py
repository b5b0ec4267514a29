"""Finds differences between a live database and the schema in the code."""

import asyncio
import difflib
import secrets
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from clickhouse_connect.driver.client import Client
from sqlalchemy import Connection

from kit.clickhouse import connect
from kit.settings import Settings
from schema.clickhouse.distributed import MERGE_TABLES, create_distributed, create_merged, distributed_name
from schema.clickhouse.fields_rollup import create_fields, earlier_views, fields_table
from schema.clickhouse.index_profiles import NOT_MERGED, Profile
from schema.clickhouse.lanes import existing_lanes
from schema.clickhouse.minute_counts import add_minute_counts, counted_tables
from schema.clickhouse.switch_profile import table_profiles
from schema.clickhouse.tables import TABLE_SETTINGS, create_table, table_name
from schema.clickhouse.usage_table import create_usage_table
from schema.clickhouse.versions import stored_versions
from schema.control.database import opened
from schema.control.metadata import METADATA
from schema.revisions import revision_difference
from schema.usage import TABLE as USAGE_TABLE

_WINDOW: Final = "non_replicated_deduplication_window"
_CODE_SETTINGS: Final = frozenset({*TABLE_SETTINGS, NOT_MERGED, "storage_policy"})
"""Settings that the code gives to tables. Operators choose all others."""
_LINE: Final = "SETTINGS "


@dataclass(frozen=True, slots=True)
class Drift:
    """One difference of a live schema from the code. `difference` is a unified diff or a sentence."""

    where: str
    difference: str


def find_drift(settings: Settings) -> list[Drift]:
    """Returns the differences of the live databases from schema/clickhouse/tables.py and schema/control/models.py.

    Raises Unavailable when ClickHouse or the control plane cannot be reached.
    """
    return asyncio.run(control_drift(settings)) + clickhouse_drift(settings)


async def control_drift(settings: Settings) -> list[Drift]:
    """Returns the differences of the control plane's database from schema/control/models.py. Raises Unavailable."""

    def compare(connection: Connection) -> list[Drift]:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        drifts = [Drift("control plane", repr(difference)) for difference in compare_metadata(context, METADATA)]
        return _revision_drift("control", "control plane", context.get_current_heads()) + drifts

    async with opened(settings.control_plane_url) as engine, engine.connect() as connection:
        return await connection.run_sync(compare)


def clickhouse_drift(settings: Settings) -> list[Drift]:
    """Compares the definition of each table on each server with a table that is newly created from the code.

    Raises Unavailable.
    """
    drifts = []
    for place in settings.topology.places:
        with connect(settings.of_replica(place.replica), shard=place.shard) as client:
            found = _server_drift(client, settings)
        server = settings.topology.name(place)
        drifts += [Drift(f"{server}: {drift.where}" if server else drift.where, drift.difference) for drift in found]
    return drifts


def _server_drift(client: Client, settings: Settings) -> list[Drift]:
    database = settings.clickhouse_database
    lanes = tuple(sorted({*existing_lanes(client), *range(settings.lanes)}))
    logs = [table_name(lane) for lane in lanes]
    drifts = _missing(client, [*logs, USAGE_TABLE])
    if drifts:
        return drifts
    drifts += _revision_drift("clickhouse", "log tables", stored_versions(client))
    drifts += _log_table_drift(client, settings, logs)
    drifts += _fields_drift(client, database, lanes)
    usage = _expected(client, lambda scratch: create_usage_table(database, scratch))
    drifts += _differences(client, usage, [USAGE_TABLE])
    if settings.shards > 1:
        for merged in MERGE_TABLES:
            expected = _expected(client, lambda scratch, merged=merged: create_merged(settings, scratch, merged))  # type: ignore[misc]  # mypy does not infer bound defaults
            drifts += _missing(client, [merged]) or _differences(client, expected, [merged])
        for table in (*logs, *(fields_table(lane) for lane in lanes), *MERGE_TABLES, USAGE_TABLE):
            drifts += _distributed_drift(client, settings, table)
    return drifts


def _revision_drift(store: Literal["control", "clickhouse"], where: str, stored: Collection[str]) -> list[Drift]:
    # Equal tables do not prove an equal revision, because a revision may change rows only.
    difference = revision_difference(store, stored)
    return [] if difference is None else [Drift(where, difference)]


def _missing(client: Client, tables: list[str]) -> list[Drift]:
    absent = [table for table in tables if not client.command(f"EXISTS TABLE {table}")]
    return [Drift(table, "the table is missing") for table in absent]


def _distributed_drift(client: Client, settings: Settings, table: str) -> list[Drift]:
    over = distributed_name(table)
    if missing := _missing(client, [over]):
        return missing
    expected = _expected(client, lambda scratch: create_distributed(settings, scratch, table))
    return _differences(client, expected, [over])


def _log_table_drift(client: Client, settings: Settings, tables: list[str]) -> list[Drift]:
    """Compares each log table with a new table of the same index profile, with minute counts if it has them."""
    database, policy = settings.clickhouse_database, settings.log_storage_policy
    drifts = []
    counted = counted_tables(client)
    alike: dict[tuple[Profile, bool], list[str]] = {}
    for table in tables:
        match table_profiles(client, table):
            case (profile,):
                alike.setdefault((profile, table in counted), []).append(table)
            case ():
                drifts.append(Drift(table, "no index on the words of the body: run `logsieve index use PROFILE`"))
            case several:
                names = " and ".join(several)
                drifts.append(Drift(table, f"it has the indexes of {names}: finish `logsieve index use PROFILE`"))
    for (profile, minute_counts), same in alike.items():
        expected = _expected(
            client,
            partial(create_table, database, profile=profile, policy=policy, searched_words=profile is Profile.tokenbf),
            add_minute_counts if minute_counts else None,
        )
        drifts += _differences(client, expected, same)
    return drifts


def _expected(client: Client, create: Callable[[str], str], change: Callable[[str], str] | None = None) -> list[str]:
    """Returns the server's description of the table that the first statement creates and the second one changes."""
    scratch = f"expected_{secrets.token_hex(8)}"
    client.command(create(scratch))
    try:
        if change is not None:
            client.command(change(scratch))
        return _shown(client, scratch)
    finally:
        client.command(f"DROP TABLE IF EXISTS {scratch} SYNC")


def _fields_drift(client: Client, database: str, lanes: tuple[int, ...]) -> list[Drift]:
    """Returns the differences of every lane's fields table, and the views that still count for it."""
    tables = [fields_table(lane) for lane in lanes]
    if drifts := _missing(client, tables):
        return drifts
    expected = _expected(client, partial(create_fields, database))
    return _differences(client, expected, tables) + [
        Drift(view, f"the view counts what the loader counts: DROP VIEW {view}") for view in earlier_views(client)
    ]


def _differences(client: Client, expected: list[str], tables: list[str]) -> list[Drift]:
    drifts = []
    for table in tables:
        shown = comparable(_shown(client, table), expected)
        difference = difflib.unified_diff(expected, shown, "code", "server", lineterm="")
        if text := "\n".join(difference):
            drifts.append(Drift(table, text))
    return drifts


def _shown(client: Client, table: str) -> list[str]:
    shown = str(client.command(f"SHOW CREATE TABLE {table}")).replace("\\n", "\n")
    return [_ordered(line) for line in shown.split("\n")[1:]]


def _ordered(line: str) -> str:
    """Sorts the settings of a table, because the server shows them in the order in which they were set."""
    return _written(_read(line)) if line.startswith(_LINE) else line


def comparable(shown: list[str], expected: list[str]) -> list[str]:
    """Returns the lines of a table without those differences from the expected lines that are no drift.

    Settings that the code does not set, such as `fsync_after_insert`, are left out. A larger deduplication window is
    replaced by the expected one, because the doctor advises to raise it
    (docs/decisions/0007-what-clickhouse-remembers.md).
    """
    wanted: dict[str, str] = next((_read(line) for line in expected if line.startswith(_LINE)), {})
    lines = [_as_wanted(line, wanted) if line.startswith(_LINE) else line for line in shown]
    return [line for line in lines if line != _LINE]


def _as_wanted(line: str, wanted: dict[str, str]) -> str:
    found = {name: value for name, value in _read(line).items() if name in wanted or name in _CODE_SETTINGS}
    if _WINDOW in wanted and int(found.get(_WINDOW, 0)) > int(wanted[_WINDOW]):
        found[_WINDOW] = wanted[_WINDOW]
    return _written(found)


def _read(line: str) -> dict[str, str]:
    """Returns the values of a line of settings by their names."""
    pairs = (setting.partition(" = ") for setting in line.removeprefix(_LINE).split(", "))
    return {name: value for name, _, value in pairs}


def _written(settings: dict[str, str]) -> str:
    return _LINE + ", ".join(f"{name} = {value}" for name, value in sorted(settings.items()))
