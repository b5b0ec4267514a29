"""Gives log tables of one server minute counts, and builds those of the parts that exist already."""

from typing import Final

import structlog
from clickhouse_connect.driver.client import Client

from ingest.minute_counts.worth import TableSize, is_worth_counting
from schema.clickhouse.minute_counts import (
    BUILDING,
    NAME,
    SETTINGS,
    add_minute_counts,
    build_minute_counts,
    counted_tables,
)
from schema.clickhouse.tables import LOG_TABLE

log = structlog.get_logger()

_KNOWN_SETTINGS: Final = "SELECT count() FROM system.merge_tree_settings WHERE name IN {names:Array(String)}"
_SIZES: Final = (
    "SELECT name, active_parts, total_rows FROM system.tables WHERE database = currentDatabase()"
    " AND match(name, {pattern:String}) AND total_rows > 0"
)
_LACKING: Final = (
    "SELECT sumIf(rows, NOT has(projections, {name:String})), sum(rows), uniqExact(disk_name) FROM system.parts"
    " WHERE active AND database = currentDatabase() AND table = {table:String}"
)
_BUILDS: Final = (
    "SELECT mutation_id, latest_fail_reason FROM system.mutations WHERE database = currentDatabase()"
    " AND table = {table:String} AND NOT is_done AND NOT is_killed AND position(command, {building:String}) > 0"
)
_END: Final = (
    "KILL MUTATION WHERE database = currentDatabase() AND table = {table:String} AND mutation_id = {id:String} SYNC"
)


class CountedServer:
    """Examines one server in repeated runs. Several loaders may do so at the same time, because every statement may be
    repeated. A process that ends between two statements leaves the rest to the next run."""

    def __init__(self, rows_per_part: int) -> None:
        self._rows_per_part = rows_per_part
        self._failed: set[str] = set()

    def run_once(self, client: Client) -> None:
        """Raises clickhouse-connect's Error."""
        known = client.query(_KNOWN_SETTINGS, parameters={"names": list(SETTINGS)}).result_rows
        if known[0][0] < len(SETTINGS):
            return  # Inserts would have to build them, which takes twice the time of a small insert.
        counted = counted_tables(client)
        rows = client.query(_SIZES, parameters={"pattern": f"^{LOG_TABLE}$"}).result_rows
        for size in (TableSize(str(name), int(parts), int(rows)) for name, parts, rows in rows):
            if not is_worth_counting(size, self._rows_per_part):
                continue
            if size.table not in counted:
                client.command(add_minute_counts(size.table))
                log.info("merges count minutes from now on", table=size.table, parts=size.parts, rows=size.rows)
            self._build(client, size.table)

    def _build(self, client: Client, table: str) -> None:
        """Starts a build if most rows are in parts without the counts, as after they were added."""
        for mutation, failure in client.query(_BUILDS, parameters={"table": table, "building": BUILDING}).result_rows:
            if failure:
                # It would hold up all later mutations of the table.
                client.command(_END, parameters={"table": table, "id": mutation})
                self._failed.add(table)
                log.warning("build of minute counts ended, because it failed", table=table, error=failure)
            return
        if table in self._failed:
            return
        ((lacking, rows, disks),) = client.query(_LACKING, parameters={"table": table, "name": NAME}).result_rows
        # A build writes to all parts. Those on a cold volume are left alone.
        if disks == 1 and lacking * 2 > rows:
            client.command(build_minute_counts(table), settings={"mutations_sync": 0})
            log.info("build of minute counts started", table=table, rows=lacking)
