"""Reads ClickHouse's EXPLAIN: the parts and granules that each index left, in all shards together."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import orjson

from backend.search.schemas import IndexUse
from backend.store.execute import Executor
from backend.store.scope import Scope
from backend.store.select_indexes import IndexSize, select_index_sizes
from backend.store.statement import Statement, only_value

_COUNTS: Final = ("parts_total", "parts_read", "granules_total", "granules_read")


async def index_uses(executor: Executor, statement: Statement[Any], sizes: Mapping[str, int]) -> list[IndexUse]:
    """Returns every index that the statement would use, in the order of their use, with its size from `sizes`.

    Each shard explains its own tables, because EXPLAIN over a Distributed table says nothing of other shards.
    Raises what Executor.run raises.
    """

    async def read(scope: Scope) -> list[IndexUse]:
        of_shard = replace(statement, scope=scope).explained("indexes = 1, json = 1\n", only_value)
        return list(uses("".join((await executor.run(of_shard)).rows)))

    answers = await asyncio.gather(*map(read, statement.scope.of_each_shard))
    found = added_up(use for used in answers for use in used)
    return [use.model_copy(update={"bytes": sizes.get(use.name)}) for use in found]


async def index_sizes(executor: Executor, scope: Scope) -> Mapping[str, int]:
    """Returns the compressed bytes of each skip index of the scope's tables, in all shards together, by name.

    Raises what Executor.run raises.
    """

    async def read(of_shard: Scope) -> Sequence[IndexSize]:
        return (await executor.run(select_index_sizes(of_shard))).rows

    sizes = Counter[str]()
    for of_shard in await asyncio.gather(*map(read, scope.of_each_shard)):
        sizes.update({size.name: size.bytes for size in of_shard})
    return sizes


def uses(explained: str) -> Iterator[IndexUse]:
    """Yields the indexes in the JSON of `EXPLAIN indexes = 1`.

    If it reads several tables, each has the same indexes.
    """
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
