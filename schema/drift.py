"""Finds differences between a live database and the schema in the code."""

import asyncio
import difflib
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from clickhouse_connect.driver.client import Client
from sqlalchemy import Connection

from kit.clickhouse import connect
from kit.settings import Settings
from schema.clickhouse.distributed import LANES, create_distributed, create_merged, distributed_name
from schema.clickhouse.fields_rollup import create_fields, earlier_views, fields_table
from schema.clickhouse.index_profiles import Profile
from schema.clickhouse.lanes import existing_lanes
from schema.clickhouse.minute_counts import add_minute_counts, counted_tables
from schema.clickhouse.switch_profile import table_profiles
from schema.clickhouse.tables import create_table, table_name
from schema.clickhouse.usage_table import create_usage_table
from schema.control.database import opened
from schema.control.metadata import METADATA
from schema.usage import TABLE as USAGE_TABLE


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
        return [Drift("control plane", repr(difference)) for difference in compare_metadata(context, METADATA)]

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
    drifts += _log_table_drift(client, settings, logs)
    drifts += _fields_drift(client, database, lanes)
    usage = _expected(client, lambda scratch: create_usage_table(database, scratch))
    drifts += _differences(client, usage, [USAGE_TABLE])
    if settings.shards > 1:
        for merged in LANES:
            expected = _expected(client, lambda scratch, merged=merged: create_merged(settings, scratch, merged))  # type: ignore[misc]  # mypy does not infer bound defaults
            drifts += _missing(client, [merged]) or _differences(client, expected, [merged])
        for table in (*logs, *(fields_table(lane) for lane in lanes), *LANES, USAGE_TABLE):
            drifts += _distributed_drift(client, settings, table)
    return drifts


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
        difference = difflib.unified_diff(expected, _shown(client, table), "code", "server", lineterm="")
        if text := "\n".join(difference):
            drifts.append(Drift(table, text))
    return drifts


def _shown(client: Client, table: str) -> list[str]:
    shown = str(client.command(f"SHOW CREATE TABLE {table}")).replace("\\n", "\n")
    return [_ordered(line) for line in shown.split("\n")[1:]]


def _ordered(line: str) -> str:
    """Sorts the settings of a table, because the server shows them in the order in which they were set."""
    names, _, settings = line.partition("SETTINGS ")
    return f"SETTINGS {', '.join(sorted(settings.split(', ')))}" if settings and not names else line
