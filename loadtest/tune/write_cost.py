"""Measures what an index costs inserts and merges. The rows are read before the measurement."""

from collections.abc import Sequence
from typing import Final, NamedTuple
from uuid import uuid4

from clickhouse_connect.driver.client import Client

from loadtest.bare_table import INSERT_SETTINGS, create_bare_table
from loadtest.tune.candidates import Candidate
from schema.columns import NAMES

INSERTS: Final = 4
"""Number of inserts into which the rows are divided."""
_TABLE: Final = "tune_writes"
_CPU: Final = "sum(ProfileEvents['UserTimeMicroseconds'] + ProfileEvents['SystemTimeMicroseconds']) / 1e6"
_PARTS: Final = (
    "system.part_log WHERE table_uuid ="
    f" (SELECT uuid FROM system.tables WHERE database = currentDatabase() AND name = '{_TABLE}')"
)


class WriteCost(NamedTuple):
    """CPU seconds of all inserts and of all merges, the largest memory of one of them in bytes, and the bytes that they
    wrote to disk, divided by the raw bytes of the bodies."""

    insert_cpu: float
    merge_cpu: float
    write_memory: int
    written: float


def read_batches(client: Client, table: str, rows: int) -> list[bytes]:
    """Returns the oldest `rows` rows of a table in Native format, in `INSERTS` batches of equal size."""
    share = rows // INSERTS
    return [
        client.raw_query(
            f"SELECT {', '.join(NAMES)} FROM {table} ORDER BY timestamp, id"
            " LIMIT {share:UInt64} OFFSET {skipped:UInt64} FORMAT Native",
            parameters={"share": share, "skipped": number * share},
        )
        for number in range(INSERTS)
    ]


def write_cost(client: Client, candidate: Candidate, batches: Sequence[bytes]) -> WriteCost:
    """Inserts the batches into an empty table with the index, then merges each partition."""
    index = () if candidate.ddl is None else (candidate.ddl,)
    client.command(f"DROP TABLE IF EXISTS {_TABLE} SYNC")
    client.command(create_bare_table(_TABLE, candidate.granules.settings, *index))
    try:
        client.command(f"SYSTEM STOP MERGES {_TABLE}")
        run = f"tune-write-{uuid4()}"
        for number, batch in enumerate(batches):
            settings = {**INSERT_SETTINGS, "max_insert_threads": 1, "query_id": f"{run}-{number}"}
            client.raw_insert(_TABLE, NAMES, batch, settings=settings, fmt="Native")
        client.command(f"SYSTEM START MERGES {_TABLE}")
        client.command(f"OPTIMIZE TABLE {_TABLE} FINAL")
        client.command("SYSTEM FLUSH LOGS query_log, part_log")
        ((insert_cpu, insert_memory),) = client.query(
            f"SELECT {_CPU}, max(memory_usage) FROM system.query_log"
            " WHERE type = 'QueryFinish' AND startsWith(query_id, {run:String})",
            parameters={"run": run},
        ).result_rows
        ((merge_cpu, merge_memory),) = client.query(
            f"SELECT {_CPU}, max(peak_memory_usage) FROM {_PARTS} AND event_type = 'MergeParts'"
        ).result_rows
        ((written,),) = client.query(
            f"SELECT sum(size_in_bytes) FROM {_PARTS} AND event_type IN ('NewPart', 'MergeParts')"
        ).result_rows
        ((raw,),) = client.query(f"SELECT sum(length(body)) FROM {_TABLE}").result_rows
        memory = max(int(insert_memory), int(merge_memory))
        return WriteCost(float(insert_cpu), float(merge_cpu), memory, int(written) / max(1, int(raw)))
    finally:
        client.command(f"DROP TABLE IF EXISTS {_TABLE} SYNC")
