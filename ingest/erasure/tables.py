"""Finds rows of deleted tenants in ClickHouse, and deletes them by mutations, one shard at a time."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from clickhouse_connect.driver.client import Client

_DELETES: Final = re.compile(r"DELETE WHERE tenant_id IN \(([0-9]+(?:, [0-9]+)*)\)")
"""Pattern of the statement of `delete_rows`, as system.mutations shows it."""


@dataclass(frozen=True, slots=True)
class Pending:
    """An unfinished mutation: the number of parts that it must still rewrite, and its last failure, empty without
    one."""

    table: str
    tenants: frozenset[int]
    parts: int
    failure: str


@dataclass(frozen=True, slots=True)
class ShardState:
    """Number of rows in active parts, by table and tenant. Includes deleted rows that are still in the files."""

    rows: Mapping[str, Mapping[int, int]]
    pending: tuple[Pending, ...]
    now: int
    """Unix time in seconds, by the server's clock, after the rows were counted."""

    def to_delete(self) -> dict[str, tuple[int, ...]]:
        """Returns for each table the tenants whose rows no mutation deletes yet."""
        found = {}
        for table, counts in self.rows.items():
            covered = frozenset[int]().union(*(each.tenants for each in self.pending if each.table == table))
            if missing := tuple(sorted(counts.keys() - covered)):
                found[table] = missing
        return found

    def left(self, tenant_id: int) -> dict[str, int]:
        """Returns the number of the tenant's remaining rows in each table, including 0."""
        return {table: counts.get(tenant_id, 0) for table, counts in self.rows.items()}

    def pending_of(self, tenant_id: int) -> list[Pending]:
        return [each for each in self.pending if tenant_id in each.tenants]


def read_shard_state(client: Client, tenants: Collection[int]) -> ShardState:
    """Counts the tenants' rows in every table with a column `tenant_id`, and reads the mutations that delete them."""
    # Mutations are read before the rows. If a mutation ends in between, its rows are not found any more, and it is
    # checked again. In the other order, the same mutation would be started again.
    pending = _pending(client)
    rows = {table: _rows(client, table, tenants) for table in _tables(client)}
    # Parts that were replaced before the count, so that their rows were not counted, were replaced before this time.
    now = int(client.query("SELECT toUnixTimestamp(now())").result_rows[0][0])
    return ShardState(rows, pending, now)


def delete_rows(client: Client, table: str, tenants: Collection[int]) -> None:
    """Starts the mutation that removes the tenants' rows from all parts of a table. Does not wait for it."""
    # Unlike DELETE FROM, it rewrites the parts, so that the files have nothing of the rows any more.
    numbers = ", ".join(str(int(each)) for each in sorted(tenants))
    client.command(f"ALTER TABLE `{table}` DELETE WHERE tenant_id IN ({numbers}) SETTINGS mutations_sync = 0")


def replaced_parts(client: Client, until: int) -> int:
    """Counts the parts that were replaced at or before `until`, in seconds since the Unix epoch, and whose files are
    not removed yet."""
    return int(
        client.query(
            # Without a condition on `_state`, ClickHouse leaves out parts whose files it is removing.
            "SELECT count() FROM system.parts WHERE database = currentDatabase() AND _state IN ('Outdated', 'Deleting')"
            " AND toUnixTimestamp(remove_time) <= {until:Int64} AND table IN {tables:Array(String)}",
            parameters={"until": until, "tables": _tables(client)},
        ).result_rows[0][0]
    )


def detached_parts(client: Client) -> int:
    """Counts the detached parts of tables with a column `tenant_id`."""
    return int(
        client.query(
            "SELECT count() FROM system.detached_parts WHERE database = currentDatabase()"
            " AND table IN {tables:Array(String)}",
            parameters={"tables": _tables(client)},
        ).result_rows[0][0]
    )


def _tables(client: Client) -> list[str]:
    rows = client.query(
        "SELECT DISTINCT table FROM system.columns WHERE database = currentDatabase() AND name = 'tenant_id'"
        " AND table IN (SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree')"
        " ORDER BY table"
    ).result_rows
    return [str(table) for (table,) in rows]


def _rows(client: Client, table: str, tenants: Collection[int]) -> dict[int, int]:
    rows = client.query(
        f"SELECT tenant_id, count() FROM `{table}` WHERE tenant_id IN {{tenants:Array(UInt32)}} GROUP BY tenant_id"
        # This count includes rows that a lightweight delete has hidden and that are still in the files.
        " SETTINGS apply_deleted_mask = 0",
        parameters={"tenants": sorted(tenants)},
    ).result_rows
    return {int(tenant_id): int(count) for tenant_id, count in rows}


def _pending(client: Client) -> tuple[Pending, ...]:
    rows = client.query(
        "SELECT table, command, parts_to_do, latest_fail_reason FROM system.mutations"
        " WHERE database = currentDatabase() AND NOT is_done AND NOT is_killed"
    ).result_rows
    found = []
    for table, command, parts, failure in rows:
        if match := _DELETES.search(str(command)):
            tenants = frozenset(map(int, match[1].split(", ")))
            found.append(Pending(str(table), tenants, int(parts), str(failure)))
    return tuple(found)
