"""Adds minute counts to log tables of one server, and builds them in existing parts."""

from typing import Final

import structlog
from clickhouse_connect.driver.client import Client

from ingest.failing_mutations import FAILED_AT, FAILURE, FailingMutations
from ingest.minute_counts.worth import TableSize, is_worth_counting
from ingest.tiering.volumes import cold_disks
from schema.clickhouse.minute_counts import BUILDING, NAME, add_minute_counts, build_minute_counts, counted_tables
from schema.clickhouse.tables import LOG_TABLE

log = structlog.get_logger()

_SIZES: Final = (
    "SELECT name, active_parts, total_rows FROM system.tables WHERE database = currentDatabase()"
    " AND match(name, {pattern:String}) AND total_rows > 0"
)
_LACKING: Final = (
    "SELECT sumIf(rows, NOT has(projections, {name:String})), sum(rows), countIf(disk_name IN {cold:Array(String)})"
    " FROM system.parts WHERE active AND database = currentDatabase() AND table = {table:String}"
)
_BUILDS: Final = (
    f"SELECT table, mutation_id, {FAILURE}, {FAILED_AT} FROM system.mutations WHERE database = currentDatabase()"
    " AND NOT is_done AND NOT is_killed AND position(command, {building:String}) > 0"
)


class CountedServer:
    """Examines one server in repeated runs. Several loaders may do so at the same time, because every statement may be
    repeated. A process that ends between two statements leaves the rest to the next run."""

    def __init__(self, rows_per_part: int) -> None:
        self._rows_per_part = rows_per_part
        self._failing = FailingMutations()
        self._failed: set[str] = set()

    def run_once(self, client: Client) -> None:
        """Adds minute counts to the log tables with large parts, and starts their build where most rows lack them.

        Does not wait for the build. Raises clickhouse-connect's Error.
        """
        building = self._end_failing(client)
        counted = counted_tables(client)
        rows = client.query(_SIZES, parameters={"pattern": f"^{LOG_TABLE}$"}).result_rows
        for size in (TableSize(str(name), int(parts), int(rows)) for name, parts, rows in rows):
            if not is_worth_counting(size, self._rows_per_part):
                continue
            if size.table not in counted:
                client.command(add_minute_counts(size.table))
                log.info("minute counts added to a log table", table=size.table, parts=size.parts, rows=size.rows)
            if size.table not in building | self._failed:
                self._build(client, size.table)

    def _end_failing(self, client: Client) -> set[str]:
        """Ends builds that fail again and again. Returns the tables in which a build ran before."""
        builds = client.query(_BUILDS, parameters={"building": BUILDING}).result_rows
        failing = {
            (str(table), str(mutation)): (str(failure), int(at)) for table, mutation, failure, at in builds if failure
        }
        for table, mutation in self._failing.end(client, {key: at for key, (_, at) in failing.items()}):
            self._failed.add(table)
            error = failing[table, mutation][0].split("\n")[0]
            log.warning("build of minute counts ended, because it failed again and again", table=table, error=error)
        return {str(table) for table, *_ in builds}

    def _build(self, client: Client, table: str) -> None:
        """Starts a build if most rows are in parts without the counts, as after they were added."""
        parameters = {"table": table, "name": NAME, "cold": cold_disks(client)}
        ((lacking, rows, on_cold),) = client.query(_LACKING, parameters=parameters).result_rows
        # A build writes to all parts, so a table with parts on a cold volume gets none.
        if not on_cold and lacking * 2 > rows:
            client.command(build_minute_counts(table), settings={"mutations_sync": 0})
            log.info("build of minute counts started", table=table, rows=lacking)
