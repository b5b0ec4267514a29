"""Finds how many bytes of a partition's records lack the index on searched words."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from clickhouse_connect.driver.client import Client

from ingest.retention.partitions import batches
from ingest.tiering.volumes import cold_disks
from ingest.word_index.estimate import rows_not_ruled_out
from ingest.word_index.searches import TablePartition
from schema.clickhouse.index_profiles import BODY_INDEXES, Profile

_PARTITIONS: Final = (
    # The hash has the block numbers and levels of the parts, and not the versions that mutations give them: most
    # mutations do not change which parts have the index.
    "SELECT partition_id, sum(rows), sum(data_uncompressed_bytes),"
    " sum(cityHash64(min_block_number, max_block_number, level)), countIf(disk_name IN {cold:Array(String)})"
    " FROM system.parts WHERE active AND database = currentDatabase() AND table = {table:String}"
    " AND partition_id IN {ids:Array(String)} GROUP BY partition_id"
)


@dataclass(frozen=True, slots=True)
class _Known:
    """Bytes that lacked the index while the partition's parts had this hash."""

    parts: int
    bytes: int


class LackingBytes:
    """Reads the bytes of partitions that lack the index. Reads a partition again when its parts have changed, or after
    `forget`. The bytes of a partition with parts on a cold disk count as 0, because its index is never built."""

    def __init__(self) -> None:
        self._known: dict[TablePartition, _Known] = {}

    def forget(self, partition: TablePartition) -> None:
        """Reads the partition again next time, because the index is being built there."""
        self._known.pop(partition, None)

    def forget_others(self, tables: Collection[str]) -> None:
        """Reads the partitions of all other tables again, because they have lost the index. Their parts may stay."""
        self._known = {partition: known for partition, known in self._known.items() if partition.table in tables}

    def read(self, client: Client, partitions: Iterable[TablePartition]) -> dict[TablePartition, int]:
        """Returns the uncompressed bytes of records without the index, by partition, without partitions that no longer
        exist. Raises clickhouse-connect's Error."""
        wanted = sorted(set(partitions))
        cold = cold_disks(client)
        found = {}
        for table in sorted({each.table for each in wanted}):
            for ids in batches([each.id for each in wanted if each.table == table]):
                parameters = {"table": table, "ids": ids, "cold": cold}
                for partition_id, rows, size, parts, on_cold in client.query(
                    _PARTITIONS, parameters=parameters
                ).result_rows:
                    partition = TablePartition(table, str(partition_id))
                    lacking = 0 if on_cold else self._bytes(client, partition, int(rows), int(size), int(parts))
                    found[partition] = lacking
        self._known = {partition: known for partition, known in self._known.items() if partition in found}
        return found

    def _bytes(self, client: Client, partition: TablePartition, rows: int, size: int, parts: int) -> int:
        known = self._known.get(partition)
        if known is None or known.parts != parts:
            known = _Known(parts, size * min(rows_without_index(client, partition), rows) // max(1, rows))
            self._known[partition] = known
        return known.bytes


def rows_without_index(client: Client, partition: TablePartition) -> int:
    """Returns the number of rows in those parts of the partition that lack the index.

    The planner estimates a search for a word that no record has. It rules out all parts that have the index.
    """
    of_partition = ("_partition_id", partition.id)
    return rows_not_ruled_out(client, partition.table, of_partition, BODY_INDEXES[Profile.tokenbf].name)
