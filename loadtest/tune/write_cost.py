"""Measures the cost of an index for writes: CPU time of inserts and merges."""

from typing import Final
from uuid import uuid4

from clickhouse_connect.driver.client import Client

from loadtest.bare_table import create_bare_table
from loadtest.tune.candidates import Candidate
from schema.columns import NAMES

INSERTS: Final = 4
"""Number of inserts into which the rows are divided."""
_NO_ROW_LIMIT: Final = 2**31
_TABLE: Final = "tune_writes"
_INSERTS: Final = "system.query_log WHERE type = 'QueryFinish' AND startsWith(query_id, {name:String})"
_MERGES: Final = (
    "system.part_log WHERE event_type = 'MergeParts' AND table_uuid ="
    " (SELECT uuid FROM system.tables WHERE database = currentDatabase() AND name = {name:String})"
)


def write_cost(client: Client, source: str, candidate: Candidate, rows: int) -> tuple[float, float]:
    """Inserts the first `rows` rows of table `source` into an empty table with the index, then merges each partition.

    Returns the CPU seconds of all inserts and of all merges.
    """
    index = () if candidate.ddl is None else (candidate.ddl,)
    client.command(f"DROP TABLE IF EXISTS {_TABLE} SYNC")
    client.command(create_bare_table(_TABLE, {"index_granularity": candidate.table_granularity}, *index))
    try:
        client.command(f"SYSTEM STOP MERGES {_TABLE}")
        share = rows // INSERTS
        run = f"tune-write-{uuid4()}"
        for number in range(INSERTS):
            client.command(
                f"INSERT INTO {_TABLE} SELECT {', '.join(NAMES)} FROM {source}"
                f" WHERE id >= {number * share} AND id < {(number + 1) * share}",
                settings={
                    "max_insert_threads": 1,
                    "min_insert_block_size_rows": _NO_ROW_LIMIT,
                    "query_id": f"{run}-{number}",
                },
            )
        client.command(f"SYSTEM START MERGES {_TABLE}")
        client.command(f"OPTIMIZE TABLE {_TABLE} FINAL")
        client.command("SYSTEM FLUSH LOGS query_log, part_log")
        return _cpu(client, _INSERTS, run), _cpu(client, _MERGES, _TABLE)
    finally:
        client.command(f"DROP TABLE IF EXISTS {_TABLE} SYNC")


def _cpu(client: Client, rows: str, name: str) -> float:
    ((seconds,),) = client.query(
        "SELECT sum(ProfileEvents['UserTimeMicroseconds'] + ProfileEvents['SystemTimeMicroseconds']) / 1e6 FROM "
        + rows,
        parameters={"name": name},
    ).result_rows
    return float(seconds)
