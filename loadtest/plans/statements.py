"""Makes the SQL that reads a page from a table of any layout."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from loadtest.plans.layouts import Layout, OwnWay

_HOUR_NS: Final = 3_600 * 10**9


@dataclass(frozen=True, slots=True)
class Span:
    """Time range from `start` to `end`, exclusive, in nanoseconds since the Unix epoch."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Source:
    """A table of a layout. `distributed` is true if its rows are on several nodes."""

    layout: Layout
    table: str
    distributed: bool


def plain(source: Source, condition: str, span: Span, limit: int) -> str:
    """Returns a statement that reads a page by ORDER BY … LIMIT over all columns."""
    return f"SELECT *{_rest(source, condition, span, limit)}"


def rewritten(source: Source, condition: str, span: Span, limit: int) -> str:
    """Returns a statement that finds the keys of a page in a subquery over narrow columns, then reads rows by key."""
    layout = source.layout
    key = ", ".join(layout.key)
    is_in = "GLOBAL IN" if source.distributed else "IN"
    between = layout.between.format(start=span.start, end=span.end)
    return (
        f"SELECT * FROM {source.table} WHERE {between} AND ({key}) {is_in}"
        f" (SELECT {key}{_rest(source, condition, span, limit)}) {_order(layout)}"
    )


def windows(own: OwnWay, span: Span) -> Iterator[Span]:
    """Yields the product's time windows, from the end of the span to its start."""
    end, number = span.end, 0
    while end > span.start:
        hours = own.hours[min(number, len(own.hours) - 1)]
        start = max(span.start, end - round(hours * _HOUR_NS))
        yield Span(start, end)
        end, number = start, number + 1


def _rest(source: Source, condition: str, span: Span, limit: int) -> str:
    between = source.layout.between.format(start=span.start, end=span.end)
    return f" FROM {source.table} WHERE {between} AND ({condition}) {_order(source.layout)} LIMIT {limit}"


def _order(layout: Layout) -> str:
    return "ORDER BY " + ", ".join(f"{column} DESC" for column in layout.order)
