"""Manages the tables of the study: one for each granularity, with the same rows, and with at most one index.

Measures the size of an index, and its cost for inserts and merges.
"""

import time
from typing import Final
from uuid import uuid4

from clickhouse_connect.driver.client import Client

from kit.errors import Internal
from loadtest.bare_table import count_rows, create_bare_table
from loadtest.bench import Say
from loadtest.corpus.load import load
from loadtest.corpus.rows import Corpus
from loadtest.tune.candidates import INDEX, Candidate
from schema.columns import NAMES

_POLL_SECONDS: Final = 0.3
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
        self._client = client
        self._corpus = corpus
        self._say = say

    def table(self, granularity: int) -> str:
        """Returns the name of a table. Names of different corpora differ."""
        corpus = self._corpus
        return f"tune_{corpus.size}_{corpus.rows}_{corpus.seed}_g{granularity}"

    def prepare(self, granularities: tuple[int, ...]) -> None:
        """Creates and fills the tables, the first from the corpus, the others from the first. Keeps complete tables."""
        first, *others = granularities
        self._create(self.table(first), first)
        load(self._client, self.table(first), self._corpus, self._say)
        for granularity in others:
            self._copy(self.table(first), granularity)
        for granularity in granularities:
            self._client.command(f"OPTIMIZE TABLE {self.table(granularity)} FINAL")

    def only(self, candidate: Candidate) -> float:
        """Makes the candidate's index the only one of its table. Returns the seconds that this took.

        Builds one partition after the other. Raises Internal if the index cannot be built.
        """
        table = self.table(candidate.table_granularity)
        self.drop(candidate.table_granularity)
        started = time.monotonic()
        if candidate.ddl is not None:
            self._client.command(f"ALTER TABLE {table} ADD INDEX {candidate.ddl}")
            for partition in self._partitions(table):
                self._client.command(
                    f"ALTER TABLE {table} MATERIALIZE INDEX {INDEX} IN PARTITION ID '{partition}'",
                    settings={"mutations_sync": 0},
                )
                self._wait_for_mutations(table)
        return time.monotonic() - started

    def drop(self, granularity: int) -> None:
        """Drops the index of a table if it exists, also one that a killed run left incomplete."""
        table = self.table(granularity)
        if not self._client.command(f"EXISTS TABLE {table}"):
            return
        self._client.command(f"KILL MUTATION WHERE database = currentDatabase() AND table = '{table}' SYNC")
        self._client.command(f"ALTER TABLE {table} DROP INDEX IF EXISTS {INDEX}", settings={"mutations_sync": 2})

    def index_share(self, candidate: Candidate) -> float:
        """Returns the bytes of the candidate's index on disk, divided by the raw bytes of the bodies."""
        table = self.table(candidate.table_granularity)
        ((index,),) = self._client.query(
            "SELECT sum(secondary_indices_compressed_bytes + secondary_indices_marks_bytes)"
            " FROM system.parts WHERE database = currentDatabase() AND table = {table:String} AND active",
            parameters={"table": table},
        ).result_rows
        ((raw,),) = self._client.query(f"SELECT sum(length(body)) FROM {table}").result_rows
        return int(index) / int(raw)

    def tokens_per_granule(self, granularity: int, granules: int) -> float:
        """Returns the number of distinct words in a granule, on average over `granules` granules."""
        table = self.table(granularity)
        ((tokens,),) = self._client.query(
            "SELECT avg(words) FROM (SELECT uniqExact(arrayJoin(tokens(lower(body)))) AS words FROM"
            f" (SELECT body, rowNumberInAllBlocks() AS place FROM {table}"
            " ORDER BY tenant_id, timestamp LIMIT {rows:UInt64}) GROUP BY intDiv(place, {granularity:UInt64}))",
            parameters={"rows": granularity * granules, "granularity": granularity},
        ).result_rows
        return float(tokens)

    def _create(self, table: str, granularity: int) -> None:
        settings = {
            # The size in bytes is unlimited, so that each granule has exactly `granularity` rows.
            "index_granularity": granularity,
            "index_granularity_bytes": _UNBOUNDED_BYTES,
            "non_replicated_deduplication_window": 10_000,
        }
        self._client.command(create_bare_table(table, settings))

    def _copy(self, source: str, granularity: int) -> None:
        target = self.table(granularity)
        self._create(target, granularity)
        if count_rows(self._client, target) == self._corpus.rows:
            return
        self._say(f"copying {source} to {target}")
        self._client.command(f"TRUNCATE TABLE {target}")
        self._client.command(f"INSERT INTO {target} SELECT {', '.join(NAMES)} FROM {source}")

    def _partitions(self, table: str) -> list[str]:
        return [
            partition
            for (partition,) in self._client.query(
                "SELECT DISTINCT partition_id FROM system.parts"
                " WHERE database = currentDatabase() AND table = {table:String} AND active ORDER BY partition_id",
                parameters={"table": table},
            ).result_rows
        ]

    def _wait_for_mutations(self, table: str) -> None:
        """Waits until all mutations of the table are done. Raises Internal if one failed."""
        while True:
            rows = self._client.query(
                "SELECT parts_to_do, latest_fail_reason FROM system.mutations"
                " WHERE database = currentDatabase() AND table = {table:String} AND NOT is_done",
                parameters={"table": table},
            ).result_rows
            if not rows:
                return
            for _, failure in rows:
                if failure:
                    raise Internal(f"the index cannot be made: {failure}")
            time.sleep(_POLL_SECONDS)


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
