"""Manages the tables of the study: one for each kind of granules, with the same rows, and with at most one index."""

import time
from collections.abc import Callable, Sequence
from typing import Final

from clickhouse_connect.driver.client import Client

from loadtest.bare_table import INSERT_SETTINGS, count_rows, create_bare_table, digest
from loadtest.bench import Say
from loadtest.tune.candidates import INDEX, Candidate, Granules
from schema.columns import NAMES

_SAMPLED_GRANULES: Final = 4
"""Number of granules whose words are counted."""


class TuneStore:
    """The tables of one server. For one thread."""

    def __init__(self, client: Client, records: str, say: Say) -> None:
        """`records` is the part of the tables' names that tells the tables of different records apart."""
        self.client = client
        self._records = records
        self._say = say

    def table(self, granules: Granules) -> str:
        """Returns the name of a table."""
        return f"tune_{self._records}_{digest(create_bare_table('', granules.settings))}"

    def prepare(self, every: Sequence[Granules], fill: Callable[[str], None]) -> None:
        """Creates and fills the tables: the first by `fill`, the others from the first. Keeps tables that have as many
        rows as the first."""
        for granules in every:
            settings = {**granules.settings, "non_replicated_deduplication_window": 10_000}
            self.client.command(create_bare_table(self.table(granules), settings))
            # A killed run may have left an index, which would be filled and merged too.
            self.drop(granules)
        first, *others = map(self.table, every)
        fill(first)
        rows = count_rows(self.client, first)
        for table in others:
            if count_rows(self.client, table) != rows:
                self._say(f"copying {first} to {table}")
                self.client.command(f"TRUNCATE TABLE {table}")
                self.client.command(
                    f"INSERT INTO {table} SELECT {', '.join(NAMES)} FROM {first}", settings=INSERT_SETTINGS
                )
        for table in (first, *others):
            self.client.command(f"OPTIMIZE TABLE {table} FINAL")

    def only(self, candidate: Candidate) -> float:
        """Makes the candidate's index the only one of its table. Returns the seconds that this took.

        Builds one partition after the other.
        """
        table = self.table(candidate.granules)
        self.drop(candidate.granules)
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

    def drop(self, granules: Granules) -> None:
        """Drops the index of a table if it exists, also one that a killed run left incomplete."""
        table = self.table(granules)
        self.client.command(f"KILL MUTATION WHERE database = currentDatabase() AND table = '{table}' SYNC")
        self.client.command(f"ALTER TABLE {table} DROP INDEX IF EXISTS {INDEX}", settings={"mutations_sync": 2})

    def drop_tables(self, every: Sequence[Granules]) -> None:
        """Deletes the tables with their rows."""
        for granules in every:
            self.client.command(f"DROP TABLE IF EXISTS {self.table(granules)} SYNC")

    def index_share(self, candidate: Candidate) -> float:
        """Returns the bytes of the candidate's index on disk, divided by the raw bytes of the bodies."""
        table = self.table(candidate.granules)
        ((index,),) = self.client.query(
            "SELECT sum(secondary_indices_compressed_bytes + secondary_indices_marks_bytes)"
            " FROM system.parts WHERE database = currentDatabase() AND table = {table:String} AND active",
            parameters={"table": table},
        ).result_rows
        ((raw,),) = self.client.query(f"SELECT sum(length(body)) FROM {table}").result_rows
        return int(index) / int(raw)

    def words_of_a_granule(self, granules: Granules) -> float:
        """Returns the number of distinct words in a granule of a merged table, on average over a few granules."""
        table = self.table(granules)
        ((rows,),) = self.client.query(
            # The last mark of a part is behind its last granule.
            "SELECT intDiv(sum(rows), sum(marks) - count()) FROM system.parts WHERE database = currentDatabase()"
            " AND table = {table:String} AND active AND rows > 0",
            parameters={"table": table},
        ).result_rows
        ((words,),) = self.client.query(
            "SELECT avg(words) FROM (SELECT uniqExactArray(tokens(lower(body))) AS words FROM"
            f" (SELECT body, rowNumberInAllBlocks() AS place FROM {table}"
            " ORDER BY tenant_id, timestamp LIMIT {limit:UInt64}) GROUP BY intDiv(place, {rows:UInt64}))",
            parameters={"limit": max(1, int(rows)) * _SAMPLED_GRANULES, "rows": max(1, int(rows))},
        ).result_rows
        return float(words)
