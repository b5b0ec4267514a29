"""Minute counts: a projection of a log table that has the number of records of each tenant, minute, severity and
service. ClickHouse reads it instead of the records for statements that need nothing else
(docs/decisions/0057-large-parts-count-their-minutes.md).
"""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    # Imported only for types: the stack needs table names and never connects, and importing the client is slow.
    from clickhouse_connect.driver.client import Client

NAME: Final = "minute_counts"
"""Name of the projection in every table that has it."""

MINUTE: Final = "toStartOfMinute(timestamp)"
"""SQL of the minute of a record. Statements must use this text for it, so that ClickHouse recognises the column."""

COLUMNS: Final = frozenset({"severity_number", "service"})
"""Columns by whose values the records of a minute are counted separately."""

BUILDING: Final = f"MATERIALIZE PROJECTION {NAME}"
"""Text in the `command` of every mutation that builds the projection (system.mutations)."""

_KEY: Final = f"tenant_id, {MINUTE}, severity_number, service"


def projection_ddl() -> str:
    """Returns the definition of the projection, as it stands in CREATE TABLE and after ADD PROJECTION."""
    return f"{NAME} (SELECT {_KEY}, count() GROUP BY {_KEY})"


def add_minute_counts(table: str) -> str:
    """Returns the statement that gives a log table the projection. It changes only metadata and may be repeated. Later
    inserts and merges build the projection."""
    return f"ALTER TABLE `{table}` ADD PROJECTION IF NOT EXISTS {projection_ddl()}"


def drop_minute_counts(table: str) -> str:
    """Returns the statement that removes the projection from a log table without rows. It may be repeated."""
    return f"ALTER TABLE `{table}` DROP PROJECTION IF EXISTS {NAME}"


def build_minute_counts(table: str) -> str:
    """Returns the statement that builds the projection in the table's present parts. Parts that have it are kept."""
    return f"ALTER TABLE `{table}` {BUILDING}"


def counted_tables(client: "Client") -> frozenset[str]:
    """Returns the log tables of the client's database that have the projection."""
    rows = client.query(
        "SELECT table FROM system.projections WHERE database = currentDatabase() AND name = {name:String}",
        parameters={"name": NAME},
    ).result_rows
    return frozenset(str(table) for (table,) in rows)
