"""Reads the rows of a load test from ClickHouse, without the search API."""

import time
from collections import Counter
from collections.abc import Sequence, Set

from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error

from kit.clickhouse import connect_shards, translate
from kit.clock import Clock, SystemClock
from kit.errors import Unavailable
from kit.settings import Settings
from loadtest.comparison import KafkaRecord
from loadtest.corpus.records import NUMBER
from loadtest.waiting import WAIT_SECONDS
from schema.clickhouse.lanes import existing_lanes
from schema.clickhouse.tables import table_name

_POLL_SECONDS = 0.25
MERGES_QUIET_SECONDS = 6.0
"""Seconds without a merge after which none is expected any more. It is longer than loaders wait before they build an
index that no merge builds, which counts as a merge."""
_WITHIN = (
    " AND timestamp >= fromUnixTimestamp64Nano({start:Int64}) AND timestamp < fromUnixTimestamp64Nano({end:Int64})"
)


class LogStore:
    """Queries all shards, over one connection to each. For one thread."""

    def __init__(self, shards: Sequence[Client], settings: Settings, clock: Clock) -> None:
        self._shards = shards
        self._database = settings.clickhouse_database
        self._clock = clock

    def count(self, table: str, tenant_id: int, what: str = "count()") -> int:
        """Returns the number of a tenant's rows in one table, on all shards. `what` is the SQL of the number."""
        sql = f"SELECT {what} FROM {table} WHERE tenant_id = {{tenant:UInt32}}"
        return sum(int(shard.query(sql, parameters={"tenant": tenant_id}).result_rows[0][0]) for shard in self._shards)

    def wait_for_count(self, table: str, tenant_id: int, expected: int, seconds: float) -> None:
        """Waits until a tenant has at least `expected` rows. Raises Unavailable if it has fewer after `seconds`."""
        deadline = self._clock.monotonic() + seconds
        while (found := self.count(table, tenant_id)) < expected:
            if self._clock.monotonic() > deadline:
                raise Unavailable(f"{found} of {expected} records are in ClickHouse after {seconds:g} s")
            time.sleep(_POLL_SECONDS)

    def wait_for_merges(self, table: str, seconds: float) -> None:
        """Waits until no merge of the table has run for MERGES_QUIET_SECONDS.

        Raises Unavailable if merges still run after `seconds`.
        """
        started = quiet_since = self._clock.monotonic()
        while (now := self._clock.monotonic()) - quiet_since < MERGES_QUIET_SECONDS:
            if now - started > seconds:
                raise Unavailable(f"{table} is still being merged after {seconds:g} s")
            time.sleep(_POLL_SECONDS)
            if any(self._merges(shard, table) for shard in self._shards):
                quiet_since = self._clock.monotonic()

    def _merges(self, shard: Client, table: str) -> int:
        running: int = shard.query(
            "SELECT count() FROM system.merges WHERE database = {database:String} AND table = {table:String}",
            parameters={"database": self._database, "table": table},
        ).result_rows[0][0]
        return running

    def holds(self, table: str, tenant_id: int, time_ns: int) -> bool:
        """Returns whether a tenant has a record with exactly this timestamp. Raises Unavailable without ClickHouse."""
        sql = (
            f"SELECT 1 FROM {table} WHERE tenant_id = {{tenant:UInt32}}"
            " AND timestamp = fromUnixTimestamp64Nano({time:Int64}) LIMIT 1"
        )
        parameters = {"tenant": tenant_id, "time": time_ns}
        try:
            # All shards are queried even after a match, so that an unreachable shard raises.
            found = [bool(shard.query(sql, parameters=parameters).result_rows) for shard in self._shards]
        except Error as error:
            raise translate(error) from error
        return any(found)

    def numbers(
        self, besides: Set[int], between: tuple[int, int] | None = None, least_severity: int = 0
    ) -> dict[int, Counter[int]]:
        """Returns for each tenant except `besides` how many rows have each record number, in all lanes.

        With `between`, only rows from its first to before its second timestamp in nanoseconds count. Only rows with a
        severity number of at least `least_severity` count.
        """
        start, end = between or (0, 0)
        within = "" if between is None else _WITHIN
        found: dict[int, Counter[int]] = {}
        for shard, lane in self._lanes():
            answer = shard.query(
                f"SELECT tenant_id, toUInt64(attributes[{{name:String}}]) FROM {table_name(lane)}"
                " WHERE mapContains(attributes, {name:String}) AND tenant_id NOT IN {besides:Array(UInt32)}"
                " AND severity_number >= {severity:UInt8}" + within,
                parameters={
                    "name": NUMBER,
                    "besides": sorted(besides),
                    "severity": least_severity,
                    "start": start,
                    "end": end,
                },
            )
            for tenant_id, number in answer.result_rows:
                found.setdefault(tenant_id, Counter())[number] += 1
        return found

    def coordinates(self, tenant_id: int, number: int) -> list[KafkaRecord]:
        """Returns the places in Kafka of the rows with this record number, in all lanes."""
        found: list[KafkaRecord] = []
        for shard, lane in self._lanes():
            answer = shard.query(
                f"SELECT id FROM {table_name(lane)}"
                " WHERE tenant_id = {tenant:UInt32} AND attributes[{name:String}] = {number:String}",
                parameters={"tenant": tenant_id, "name": NUMBER, "number": str(number)},
            )
            found += (KafkaRecord.of(record_id) for (record_id,) in answer.result_rows)
        return sorted(found)

    def _lanes(self) -> list[tuple[Client, int]]:
        return [(shard, lane) for shard in self._shards for lane in existing_lanes(shard)]


def wait_for_tenant(settings: Settings, lane: int, tenant_id: int, expected: int) -> None:
    """Waits until a tenant has at least `expected` rows. Opens new connections for this.

    Raises Unavailable if it has fewer after WAIT_SECONDS.
    """
    with connect_shards(settings) as shards:
        LogStore(shards, settings, SystemClock()).wait_for_count(table_name(lane), tenant_id, expected, WAIT_SECONDS)
