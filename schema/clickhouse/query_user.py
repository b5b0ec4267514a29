"""The ClickHouse user that runs searches. It reads the log, fields and usage tables, and only one tenant's rows.

The setting `log_comment` of each statement holds the tenant's number. Every server knows this setting without
configuration, it reaches all nodes of a Distributed table, and query_log keeps it. If it is empty or not a number, the
user sees no row (docs/decisions/0010).
"""

from typing import Final

from kit.settings import Settings
from schema.clickhouse.complete import COMPLETE
from schema.clickhouse.distributed import MERGE_TABLES, distributed_name
from schema.clickhouse.fields_rollup import fields_table
from schema.clickhouse.tables import table_name
from schema.usage import TABLE as USAGE

INDEX_CATALOG = "system.data_skipping_indices"
"""System table in which the planner finds the tables' indexes. It lists only indexes of readable tables, and no
tenants."""

PROJECTION_CATALOG: Final = "system.projections"
"""System table in which searches find the tables with minute counts. It lists only readable tables, and no tenants."""

WORK_LOG: Final = "system.query_log"
"""System table with the work of the user's own statements for the tenant in `log_comment`."""

WORK_COLUMNS: Final = (
    "type",
    "event_date",
    "event_time",
    "initial_query_id",
    "memory_usage",
    "ProfileEvents",
)
"""Columns of WORK_LOG that the user may read. No statement text is in them.

Only the nodes that `up` starts grant this. Another server may not have the table, and its operators decide who reads it
(docs/search.md).
"""

WORK_POLICY: Final = "user = currentUser() AND log_comment = getSetting('log_comment')"

HIDDEN_FUNCTIONS: Final = (
    "cluster",
    "clusterAllReplicas",
    "mergeTreeAnalyzeIndexes",
    "mergeTreeAnalyzeIndexesUUID",
    "mergeTreeIndex",
    "mergeTreeProjection",
    "mergeTreeTextIndex",
)
"""Table functions that return no row to the search user.

ClickHouse lets every user who may read a table call them with that table. They show primary keys, words and index
entries of all rows, because the table's row policies do not apply to them. Each function therefore gets a row policy of
its own, which lets no row through.
"""

FUNCTION_DATABASE: Final = "_table_function"
"""Database in which ClickHouse looks up the row policy of a table function."""

HIDDEN_TABLES: Final = ("tables", "columns")
"""Tables of `system` that every user may read and that show how much all tenants together have stored.

Only the nodes that `up` starts hide them: on another server, a row policy could hide them from other users.
"""

CONFIGURED_USER = "SELECT 1 FROM system.users WHERE name = {name:String} AND storage = 'users_xml'"
"""Query that finds the user in the server's configuration file. SQL cannot change such a user, and the file also has
its policies."""

POLICY = "tenant_id = toUInt32OrNull(getSetting('log_comment'))"


def readable_tables(settings: Settings) -> tuple[str, ...]:
    """Returns all tables that searches may read, with those of lanes that do not exist yet. Each has a column
    `tenant_id`."""
    lanes = range(settings.readable_lanes)
    merged = () if settings.shards == 1 else MERGE_TABLES
    tables = (*(table_name(lane) for lane in lanes), *(fields_table(lane) for lane in lanes), *merged, USAGE)
    distributed = () if settings.shards == 1 else tuple(distributed_name(table) for table in tables)
    return tables + distributed + ((COMPLETE,) if settings.topology.replicas > 1 else ())


def create_query_user(settings: Settings, password: str | None) -> tuple[str, ...]:
    """Returns the statements that create or update the user on a server that `logsieve up` does not run.

    Without a password, they contain the placeholder `<password>` and are only for printing.
    """
    database, user = settings.clickhouse_database, settings.clickhouse_query_user
    secret = "<password>" if password is None else _quoted(password)
    identified = f"IDENTIFIED WITH sha256_password BY {secret} SETTINGS readonly = 2"
    tables = readable_tables(settings)
    return (
        # The policies come first: a user that may read a table without a policy would see all its rows.
        f"CREATE USER IF NOT EXISTS `{user}` {identified}",
        *(
            f"CREATE ROW POLICY OR REPLACE logsieve_tenant ON `{database}`.{table} USING {POLICY} TO `{user}`"
            for table in tables
        ),
        *(
            f"CREATE ROW POLICY OR REPLACE logsieve_tenant ON {FUNCTION_DATABASE}.{function} USING 0 TO `{user}`"
            for function in HIDDEN_FUNCTIONS
        ),
        # Earlier releases granted this. Searches do not need it, and most table functions do.
        f"REVOKE CREATE TEMPORARY TABLE ON *.* FROM `{user}`",
        *(f"GRANT SELECT ON `{database}`.{table} TO `{user}`" for table in tables),
        *(f"GRANT SELECT ON {catalog} TO `{user}`" for catalog in (INDEX_CATALOG, PROJECTION_CATALOG)),
        f"ALTER USER `{user}` {identified}",
    )


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
