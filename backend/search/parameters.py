"""The parameters that routes over logs share."""

from typing import Annotated

from fastapi import Depends, Query

from backend.search.asked import Search
from backend.search.cursor import Order
from backend.search.times import parse_time


def _search(
    query: Annotated[str, Query(description="Query text; empty finds everything.")] = "",
    start: Annotated[str | None, Query(description="First moment, RFC 3339 or integer nanoseconds.")] = None,
    end: Annotated[str | None, Query(description="First moment after the range.")] = None,
) -> Search:
    return Search(
        query,
        None if start is None else parse_time(start, "start"),
        None if end is None else parse_time(end, "end"),
    )


Asked = Annotated[Search, Depends(_search)]
OrderParameter = Annotated[Order, Query(description="Newest or oldest first.")]
