"""Finds the partitions of a table with inserted parts that may lack the index on words."""

from typing import Final, NamedTuple

from clickhouse_connect.driver.client import Client

from ingest.word_index.estimate import rows_not_ruled_out
from schema.clickhouse.index_profiles import SEARCHED_WORDS

_INSERTED: Final = (
    "SELECT partition_id, min_block_number, name, rows, data_version = min_block_number,"
    " modification_time <= now() - {seconds:UInt32}"
    " FROM system.parts WHERE active AND database = currentDatabase() AND table = {table:String}"
    # A merge builds the index.
    " AND level = 0 AND rows >= {rows:UInt32}"
    # A mutation gives a part a new time.
    " AND (data_version != min_block_number OR modification_time <= now() - {late:Int64} + {slack:UInt32})"
)

_SLACK_SECONDS: Final = 1
"""Seconds by which the server's clock may be set back between an insert and its search for parts."""


class Ages(NamedTuple):
    """Ages of parts in seconds. The newest part without the index of an idle partition has at least the age `idle`.
    Inserts built the index in parts that are younger than `late`, which is negative if inserts of the next seconds may
    leave out the index."""

    idle: int
    late: int


class LatePartitions(NamedTuple):
    """`idle` has the ids of the partitions whose newest part without the index is old enough. `are_more` is true if
    other partitions have younger parts without the index."""

    idle: list[str]
    are_more: bool


class _Part(NamedTuple):
    """A part that an insert has made. A mutation gives it another name and keeps its first block."""

    partition: str
    first_block: int
    name: str
    rows: int
    is_as_inserted: bool
    is_idle: bool


class LateParts:
    """Examines the parts of one table, each until it has the index.

    A part that no mutation has changed may lack the index. For a part that a mutation has changed, an estimate decides.
    The estimate is wrong for very long records, because their filters rule nothing out even if the index is built. So
    such a part counts as lacking the index only once.
    """

    def __init__(self) -> None:
        self._examined: set[tuple[str, int]] = set()

    def find(self, client: Client, table: str, rows: int, ages: Ages) -> LatePartitions:
        """Finds partitions with parts of at least `rows` rows that may lack the index. Raises clickhouse-connect's
        Error."""
        parameters = {"table": table, "rows": rows, "seconds": ages.idle, "late": ages.late, "slack": _SLACK_SECONDS}
        parts = [_Part(*each) for each in client.query(_INSERTED, parameters=parameters).result_rows]
        self._examined &= {(each.partition, each.first_block) for each in parts}
        late = [each for each in parts if each.is_as_inserted or self._lacks(client, table, each)]
        waiting = {each.partition for each in late if not each.is_idle}
        idle = [each for each in late if each.partition not in waiting]
        self._examined |= {(each.partition, each.first_block) for each in idle if not each.is_as_inserted}
        return LatePartitions(sorted({each.partition for each in idle}), bool(waiting))

    def _lacks(self, client: Client, table: str, part: _Part) -> bool:
        if (part.partition, part.first_block) in self._examined:
            return False
        if rows_not_ruled_out(client, table, ("_part", part.name), SEARCHED_WORDS.name) > part.rows / 2:
            return True
        self._examined.add((part.partition, part.first_block))
        return False
