"""Runs many queries by both evaluators in one round trip, and reports where they differ."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from backend.language.nodes import Node
from backend.language.print import print_query
from backend.predicate.predicate import compile_predicate
from backend.predicate.tests.matching import rows_matching
from backend.store.compile.filter import compile_filter
from kit.settings import Settings
from schema.clickhouse.distributed import create_distributed, distributed_name, readable_name
from schema.clickhouse.index_profiles import Profile
from schema.clickhouse.tables import create_table
from tests.search.engine import ClickHouse
from tests.search.random_logs import Batch
from tests.search.records import Record, log_columns, share

_SEARCHED_WORDS = "by_searched_words"
"""Table with the index on searched words. Inserts of tests build it, and merges drop it, so some parts have it."""

PROFILES: Mapping[str, Profile] = {
    **{f"by_{profile}": profile for profile in Profile},
    _SEARCHED_WORDS: Profile.tokenbf,
}
"""Names of tables, each with its index profile."""

_INCOMING = "agreement_incoming"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A record that only one of the two evaluators finds by the query. `by_sql` is true if SQL finds it."""

    table: str
    query: Node
    record: Record
    by_sql: bool

    def __str__(self) -> str:
        finds, misses = ("SQL finds", "the predicate") if self.by_sql else ("the predicate finds", "SQL")
        return f"query {print_query(self.query)!r}, in {self.table}: {finds} and {misses} does not: {self.record}"


@dataclass(frozen=True, slots=True)
class Agreement:
    """Tables of all index profiles, on all shards.

    Each batch has its own tenant, so that no table has to be emptied. A batch's records alternate between the shards.
    For each query and table, one SELECT runs on the first shard.
    """

    shards: Sequence[ClickHouse]
    tables: tuple[str, ...]
    _tenants: Iterator[int] = field(default_factory=lambda: count(1))

    def store(self, records: Sequence[Record]) -> int:
        """Inserts records into every table and returns the number of their tenant."""
        tenant_id = next(self._tenants)
        columns = log_columns(records, tenant_id)
        for number, shard in enumerate(self.shards):
            shard.insert(_INCOMING, share(columns, number, len(self.shards)))
        return tenant_id

    def disagreements(self, tenant_id: int, batch: Batch) -> list[Disagreement]:
        """Returns every stored record that SQL alone, or the predicate alone, finds by a query of the batch."""
        predicate, sql = by_predicate(batch), self.by_sql(tenant_id, batch.queries)
        return [
            Disagreement(table, query, batch.records[row], by_sql=row in sql[table, number])
            for number, query in enumerate(batch.queries)
            for table in self.tables
            for row in sorted(sql[table, number] ^ predicate[number])
        ]

    def by_sql(self, tenant_id: int, queries: Sequence[Node]) -> dict[tuple[str, int], set[int]]:
        """Returns the matching ids, by table and index of the query."""
        selects: list[str] = []
        parameters: dict[str, str | int | float] = {"tenant_id": tenant_id}
        for place, query in enumerate(queries):
            found = compile_filter(query)
            condition = found.sql.replace("{p", f"{{q{place}p")
            parameters |= {f"q{place}{name}": value for name, value in found.parameters.items()}
            selects += [
                f"SELECT '{table}' AS of_table, {place} AS query, id FROM {table}"
                f" WHERE tenant_id = {{tenant_id:UInt32}} AND ({condition})"
                for table in self.tables
            ]
        ids: dict[tuple[str, int], set[int]] = {(table, n): set() for table in self.tables for n in range(len(queries))}
        for requested, number, row in self.shards[0].query_rows("\nUNION ALL\n".join(selects), parameters):
            ids[str(requested), int(str(number))].add(int(str(row)))
        return ids


def by_predicate(batch: Batch) -> list[set[int]]:
    """Returns the matching ids of each query of the batch."""
    columns = log_columns(batch.records)
    return [set(rows_matching(compile_predicate(query), columns)) for query in batch.queries]


def agreement(settings: Settings, shards: Sequence[ClickHouse]) -> Agreement:
    """Creates the tables of all index profiles on all shards, in the settings' database, and returns the Agreement over
    them."""
    for shard in shards:
        _make_tables(settings, shard)
    return Agreement(shards, tuple(readable_name(table, len(shards)) for table in PROFILES))


def _make_tables(settings: Settings, shard: ClickHouse) -> None:
    """Creates tables with granules of two rows, so that indexes skip granules even in a small batch."""
    for table in (_INCOMING, *(f"{profile}_view" for profile in PROFILES), *PROFILES):
        shard.command(f"DROP TABLE IF EXISTS {table}")
    ddl = create_table(settings.clickhouse_database, _INCOMING)
    shard.command(ddl[: ddl.index("\n)\nENGINE")].split(",\n    INDEX")[0] + "\n) ENGINE = Null")
    for table, profile in PROFILES.items():
        searched = table == _SEARCHED_WORDS
        own = create_table(settings.clickhouse_database, table, profile, searched_words=searched)
        shard.command(own.replace("index_granularity = 1024", "index_granularity = 2"))
        shard.command(f"CREATE MATERIALIZED VIEW {table}_view TO {table} AS SELECT * FROM {_INCOMING}")
        if settings.shards > 1:
            shard.command(create_distributed(settings, distributed_name(table), table))
