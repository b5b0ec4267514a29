"""Manages the tables of the study: one for each granularity, with the same rows, and with at most one index.

Measures the size of an index, and its cost for inserts and merges.
"""

import time
from typing import Final
from uuid import uuid4

from clickhouse_connect.driver.client import Client

from loadtest.bare_table import count_rows, create_bare_table
from loadtest.bench import Say
from loadtest.corpus.load import load
from loadtest.corpus.rows import Corpus
from loadtest.tune.candidates import INDEX, Candidate
from schema.columns import NAMES

_GRANULES: Final = 4
_UNBOUNDED_BYTES: Final = 1 << 40
INSERTS: Final = 4
"""Number of inserts into which the rows are divided."""
_NO_ROW_LIMIT: Final = 2**31
_TABLE: Final = "tune_writes"
_INSERTS: Final = "system.query_log WHERE type = 'QueryFinish' AND startsWith(query_id, {name:String})"
_MERGES: Final = (
    "system.part_log WHERE event_type = 'MergeParts' AND table_uuid ="
    " (SELECT uuid FROM system.tables WHERE database = currentDatabase() AND name = {name:String})"
)


class TuneStore:
    """The tables of one server. For one thread."""

    def __init__(self, client: Client, corpus: Corpus, say: Say) -> None:
        self.client = client
        self._corpus = corpus
        self._say = say

    def table(self, granularity: int) -> str:
        """Returns the name of a table. Names of different corpora differ."""
        corpus = self._corpus
        return f"tune_{corpus.size}_{corpus.rows}_{corpus.seed}_g{granularity}"

    def prepare(self, granularities: tuple[int, ...]) -> None:
        """Creates and fills the tables, the first from the corpus, the others from the first. Keeps complete tables."""
        for granularity in granularities:
            settings = {
                # The size in bytes is unlimited, so that each granule has exactly `granularity` rows.
                "index_granularity": granularity,
                "index_granularity_bytes": _UNBOUNDED_BYTES,
                "non_replicated_deduplication_window": 10_000,
            }
            self.client.command(create_bare_table(self.table(granularity), settings))
            # A killed run may have left an index, which would be filled and merged too.
            self.drop(granularity)
        first, *others = map(self.table, granularities)
        load(self.client, first, self._corpus, self._say)
        for table in others:
            if count_rows(self.client, table) != self._corpus.rows:
                self._say(f"copying {first} to {table}")
                self.client.command(f"TRUNCATE TABLE {table}")
                self.client.command(f"INSERT INTO {table} SELECT {', '.join(NAMES)} FROM {first}")
        for table in (first, *others):
            self.client.command(f"OPTIMIZE TABLE {table} FINAL")

    def only(self, candidate: Candidate) -> float:
        """Makes the candidate's index the only one of its table. Returns the seconds that this took.

        Builds one partition after the other.
        """
        table = self.table(candidate.table_granularity)
        self.drop(candidate.table_granularity)
        started = time.monotonic()
        if candidate.ddl is not None:
            self.client.command(f"ALTER TABLE {table} ADD INDEX {candidate.ddl}")
            partitions = self.client.query(
                f"SELECT DISTINCT _partition_id FROM {table} ORDER BY _partition_id"
            ).result_rows
            for (partition,) in partitions:
                self.client.command(
                    f"ALTER TABLE {table} MATERIALIZE INDEX {INDEX} IN PARTITION ID '{partition}'",
                    settings={"mutations_sync": 2},
                )
        return time.monotonic() - started

    def drop(self, granularity: int) -> None:
        """Drops the index of a table if it exists, also one that a killed run left incomplete."""
        table = self.table(granularity)
        self.client.command(f"KILL MUTATION WHERE database = currentDatabase() AND table = '{table}' SYNC")
        self.client.command(f"ALTER TABLE {table} DROP INDEX IF EXISTS {INDEX}", settings={"mutations_sync": 2})

    def index_share(self, candidate: Candidate) -> float:
        """Returns the bytes of the candidate's index on disk, divided by the raw bytes of the bodies."""
        table = self.table(candidate.table_granularity)
        ((index,),) = self.client.query(
            "SELECT sum(secondary_indices_compressed_bytes + secondary_indices_marks_bytes)"
            " FROM system.parts WHERE database = currentDatabase() AND table = {table:String} AND active",
            parameters={"table": table},
        ).result_rows
        ((raw,),) = self.client.query(f"SELECT sum(length(body)) FROM {table}").result_rows
        return int(index) / int(raw)

    def tokens_per_granule(self, granularity: int) -> float:
        """Returns the number of distinct words in a granule, on average over `_GRANULES` granules."""
        table = self.table(granularity)
        ((tokens,),) = self.client.query(
            "SELECT avg(words) FROM (SELECT uniqExact(arrayJoin(tokens(lower(body)))) AS words FROM"
            f" (SELECT body, rowNumberInAllBlocks() AS place FROM {table}"
            " ORDER BY tenant_id, timestamp LIMIT {rows:UInt64}) GROUP BY intDiv(place, {granularity:UInt64}))",
            parameters={"rows": granularity * _GRANULES, "granularity": granularity},
        ).result_rows
        return float(tokens)


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
