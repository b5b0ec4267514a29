"""What inserts and merges did to a table, from ClickHouse's own log of parts."""

from dataclasses import dataclass

from clickhouse_connect.driver.client import Client


@dataclass(frozen=True, slots=True)
class PartsWork:
    """Parts made by inserts, and merges with the CPU seconds they took."""

    inserted: int
    merges: int
    merge_cpu_seconds: float


def parts_since(client: Client, table: str, since_ns: int) -> PartsWork:
    """From `since_ns` (Unix nanoseconds) on."""
    client.command("SYSTEM FLUSH LOGS part_log")
    [row] = client.query(
        "SELECT countIf(event_type = 'NewPart'), countIf(event_type = 'MergeParts'),"
        " sumIf(ProfileEvents['UserTimeMicroseconds'] + ProfileEvents['SystemTimeMicroseconds'],"
        " event_type = 'MergeParts') / 1e6"
        " FROM system.part_log WHERE database = currentDatabase() AND table = {table:String}"
        " AND event_time_microseconds >= fromUnixTimestamp64Nano({since:Int64})",
        parameters={"table": table, "since": since_ns},
    ).result_rows
    return PartsWork(int(row[0]), int(row[1]), float(row[2]))
