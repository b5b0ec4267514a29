"""Reads ClickHouse's EXPLAIN: the parts and granules that each index left, in one table or in several together."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import orjson

from backend.search.schemas import IndexUse
from backend.store.execute import Executor
from backend.store.scope import Scope
from backend.store.select_indexes import select_index_sizes
from backend.store.statement import Statement, only_value
from backend.store.together import each_of

_COUNTS: Final = ("parts_total", "parts_read", "granules_total", "granules_read")


IndexSizes = Mapping[tuple[int, int], Mapping[str, int]]
"""Compressed bytes of the skip indexes of a scope's tables, by shard and lane of the table and by name of the index."""


async def index_uses(executor: Executor, statements: Sequence[Statement[Any]], sizes: IndexSizes) -> list[IndexUse]:
    """Returns the indexes that the statements would use, in the order of their use, each once with its bytes and with
    the sums of its counts over all statements.

    Each statement reads another table. Raises what Executor.run raises.
    """

    async def read(statement: Statement[Any]) -> list[IndexUse]:
        explained = statement.explained("indexes = 1, json = 1\n", only_value)
        return list(uses("".join((await executor.run(explained)).rows)))

    answers = await each_of(statements, read)
    found = added_up(use for used in answers for use in used)
    bytes_of = Counter[str]()
    for statement in statements:
        bytes_of.update(sizes.get(_table(statement.scope), {}))
    return [use.model_copy(update={"bytes": bytes_of.get(use.name)}) for use in found]


async def index_sizes(executor: Executor, scope: Scope) -> IndexSizes:
    """Returns the compressed bytes of each skip index of the scope's tables.

    Raises what Executor.run raises.
    """

    async def read(of_table: Scope) -> Mapping[str, int]:
        return {size.name: size.bytes for size in (await executor.run(select_index_sizes(of_table))).rows}

    tables = scope.of_each_table
    return dict(zip(map(_table, tables), await each_of(tables, read), strict=True))


def _table(scope: Scope) -> tuple[int, int]:
    """Returns the shard and the lane of a scope over one table."""
    [shard], [lane] = scope.shards, scope.lanes
    return shard, lane


def uses(explained: str) -> Iterator[IndexUse]:
    """Yields the indexes in the JSON of `EXPLAIN indexes = 1`."""
    for node in _nodes(orjson.loads(explained)):
        for index in node.get("Indexes", []):
            yield IndexUse(
                name=index.get("Name") or ", ".join(index.get("Keys", [])),
                type=index.get("Description") or index["Type"],
                condition=index.get("Condition", ""),
                parts_total=index.get("Initial Parts", 0),
                parts_read=index.get("Selected Parts", 0),
                granules_total=index.get("Initial Granules", 0),
                granules_read=index.get("Selected Granules", 0),
                bytes=None,
            )


def added_up(found: Iterable[IndexUse]) -> list[IndexUse]:
    """Returns each index once, with the sums of its counts, and with the condition of its first occurrence."""
    together: dict[tuple[str, str], IndexUse] = {}
    for use in found:
        known = together.setdefault((use.name, use.type), use)
        if known is not use:
            counts = {name: getattr(known, name) + getattr(use, name) for name in _COUNTS}
            together[use.name, use.type] = known.model_copy(update=counts)
    return list(together.values())


# The document's form depends on the server's version. Only the keys used above are relied on.
def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        for item in value:
            yield from _nodes(item)
    elif isinstance(value, dict):
        yield value
        yield from _nodes(value.get("Plan", []))
        yield from _nodes(value.get("Plans", []))
