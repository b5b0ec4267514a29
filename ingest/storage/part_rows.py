"""Counts the rows of each tenant in each partition of the log tables of one server.

A part never changes, so its rows are counted once. A mutation that deletes no rows gives a part another name, but its
rows are the same, so they are not counted again. A tenant that writes to every day therefore makes the server read
only the small parts that its records are in, not all rows of those days.
"""

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from clickhouse_connect.driver.client import Client

STEP_ROWS: Final = 50_000_000
"""Rows of parts up to which one statement counts several parts. A larger part has a statement of its own."""

STEP_PARTS: Final = 100
"""Largest number of parts that one statement counts. Bounds its answer, which has a row for each part and tenant."""

STEP_SECONDS: Final = 120
"""Longest time of one statement, in seconds."""

_STEP_THREADS: Final = 2

_ROUNDS: Final = 2
"""Largest number of times that one call lists the parts and counts new ones. A second round is needed if parts were
merged or rewritten between the list and the count."""

_Partition = tuple[str, str]
"""Table and id of a partition."""


@dataclass(frozen=True, slots=True)
class _Part:
    """An active part with its first and last block and its level. Parts that differ only in their names have the same
    rows. The number of rows tells a part from a mutated one that lost rows, and from a part of the same name in a table
    that was created again."""

    table: str
    partition_id: str
    first_block: int
    last_block: int
    level: int
    rows: int
    name: str = field(compare=False)


class _Counts:
    """Rows of the tenants of a part, without the overhead of a dictionary: a server may have 10,000 parts, and a part
    1,000 tenants."""

    __slots__ = ("rows", "tenants")

    def __init__(self, counts: Mapping[int, int]) -> None:
        self.tenants = array("Q", counts.keys())
        self.rows = array("Q", counts.values())


class PartRowsReader:
    """Reads the rows of tenants on one server. Remembers them for each part until the part is merged, rewritten or
    dropped."""

    def __init__(self) -> None:
        self._counts: dict[_Part, _Counts] = {}

    def read(self, client: Client, tables: Collection[str]) -> Mapping[_Partition, Mapping[int, int]]:
        """Returns the rows of each tenant, by table and id of the partition.

        Parts that are replaced while they are counted, twice in one call, are left out. Raises clickhouse-connect's
        Error, also if a statement takes more than STEP_SECONDS. The next call continues with the parts that are left.
        """
        missing = set[tuple[str, str]]()
        for _ in range(_ROUNDS):
            active = _active_parts(client, tables)
            self._counts = {part: counts for part, counts in self._counts.items() if part in active}
            # A part that is active before and after its count was there meanwhile, so that all its rows are deleted.
            self._counts |= {part: _Counts({}) for part in active if (part.table, part.name) in missing}
            for step in _steps(active - self._counts.keys()):
                self._counts |= _count(client, step)
            missing = {(part.table, part.name) for part in active - self._counts.keys()}
            if not missing:
                break
        return self._sums()

    def _sums(self) -> Mapping[_Partition, Mapping[int, int]]:
        found = defaultdict[_Partition, dict[int, int]](dict)
        for part, counts in self._counts.items():
            sums = found[part.table, part.partition_id]
            for tenant_id, rows in zip(counts.tenants, counts.rows, strict=True):
                sums[tenant_id] = sums.get(tenant_id, 0) + rows
        return found


def _active_parts(client: Client, tables: Collection[str]) -> set[_Part]:
    rows = client.query(
        "SELECT table, partition_id, min_block_number, max_block_number, level, rows, name FROM system.parts"
        " WHERE database = currentDatabase() AND active AND rows > 0 AND table IN {tables:Array(String)}",
        parameters={"tables": sorted(tables)},
    ).result_rows
    return {_Part(*each) for each in rows}


def _steps(parts: Iterable[_Part]) -> Iterator[list[_Part]]:
    """Yields parts of one table each that one statement may count, the largest parts first."""
    tables = defaultdict[str, list[_Part]](list)
    for part in parts:
        tables[part.table].append(part)
    for _, of_table in sorted(tables.items()):
        step, rows = list[_Part](), 0
        for part in sorted(of_table, key=lambda each: (-each.rows, each.name)):
            if step and (rows + part.rows > STEP_ROWS or len(step) == STEP_PARTS):
                yield step
                step, rows = [], 0
            step.append(part)
            rows += part.rows
        yield step


def _count(client: Client, step: list[_Part]) -> dict[_Part, _Counts]:
    """Returns the counts of these parts of one table, without parts that are no longer active."""
    rows = client.query(
        f"SELECT _part, tenant_id, count() FROM {step[0].table} WHERE _part IN {{parts:Array(String)}}"
        " GROUP BY _part, tenant_id",
        parameters={"parts": [part.name for part in step]},
        settings={"max_execution_time": STEP_SECONDS, "max_threads": _STEP_THREADS},
    ).result_rows
    found = defaultdict[str, dict[int, int]](dict)
    for name, tenant_id, count in rows:
        found[str(name)][int(tenant_id)] = int(count)
    return {part: _Counts(found[part.name]) for part in step if part.name in found}
