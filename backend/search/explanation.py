"""Reads ClickHouse's EXPLAIN: which index left how many parts and granules."""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from backend.search.schemas import IndexUse


def index_uses(explained: str, sizes: Mapping[str, int]) -> list[IndexUse]:
    """Every index of the plan in the order it was applied; `explained` is the JSON of EXPLAIN indexes = 1.

    `sizes` are bytes by the name of a skip index.
    """
    return [
        IndexUse(
            name=index.get("Name") or ", ".join(index.get("Keys", [])),
            type=index.get("Description") or index["Type"],
            condition=index.get("Condition", ""),
            parts_total=index.get("Initial Parts", 0),
            parts_read=index.get("Selected Parts", 0),
            granules_total=index.get("Initial Granules", 0),
            granules_read=index.get("Selected Granules", 0),
            bytes=sizes.get(index.get("Name", "")),
        )
        for node in _nodes(orjson.loads(explained))
        for index in node.get("Indexes", [])
    ]


# The document is whatever the server's version prints; only the keys used above are relied on.
def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        for item in value:
            yield from _nodes(item)
    elif isinstance(value, dict):
        yield value
        yield from _nodes(value.get("Plan", []))
        yield from _nodes(value.get("Plans", []))
