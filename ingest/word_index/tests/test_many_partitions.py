"""Tests that the bytes without an index are found however many partitions have been searched."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Final, cast

from clickhouse_connect.driver.client import Client

from ingest.word_index.lacking import LackingBytes
from ingest.word_index.searches import TablePartition

PARAMETER_BYTES: Final = 128 * 1024
"""Size above which ClickHouse refuses a parameter."""

PARTITIONS: Final = [TablePartition("logs_0", f"{number:032x}") for number in range(5_000)]


def query(statement: str, parameters: Mapping[str, Sequence[object]] | None = None, **_: object) -> SimpleNamespace:
    """Answers like a server whose partitions have one row of 100 bytes each, without the index."""
    given = parameters or {}
    assert all(len(str(each)) <= PARAMETER_BYTES for each in given.values())
    if "FROM system.parts" in statement:
        return SimpleNamespace(result_rows=[(each, 1, 100, 7, 0) for each in given["ids"]])
    return SimpleNamespace(result_rows=[("database", "logs_0", 1, 1, 1)] if "ESTIMATE" in statement else [])


def test_thousands_of_searched_partitions_are_read() -> None:
    found = LackingBytes().read(cast("Client", SimpleNamespace(query=query)), PARTITIONS)

    assert found == dict.fromkeys(PARTITIONS, 100)
