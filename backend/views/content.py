"""The members of a saved view and their allowed values."""

import json
from dataclasses import asdict, dataclass
from typing import Final, Literal, TypeAlias

from backend.saved_items import check_text
from backend.store.counted_field import counted_field
from backend.views.time_expression import resolve_time
from kit.errors import InvalidRequest

FIELD_CHARACTERS: Final = 256
"""Largest number of characters in the name of a column's field."""

CHART_BY_CHARACTERS: Final = 1000

MESSAGE: Final = "body"
"""Field of the message's column, which a view has if the user has moved or resized that column."""

MAX_COLUMNS: Final = 20
"""Largest number of columns beside the message's. The web UI has the same bound."""

NARROWEST: Final = 40
WIDEST: Final = 1200
"""Smallest and largest width of a column in CSS pixels, both inclusive. The web UI has the same bounds."""


ChartKind: TypeAlias = Literal["lines", "bars", "top", "table", "number"]
"""Kinds of charts that draw the numbers of a query. The web UI has the same kinds."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the list of logs. `width` is in CSS pixels; if it is None, the column is as wide as its longest
    value."""

    field: str
    width: int | None


@dataclass(frozen=True, slots=True)
class ViewContent:
    """All members of a view that users choose. `start` and `end` may be relative to now, such as `now-1h`.

    The chart's bars are stacked by the values of the field `chart_by`; if it is None, by severity. `chart_kind` is the
    kind of chart that draws the numbers of `| stats`; if it is None, the kind that suits the query is used.
    """

    name: str
    folder: str
    query: str
    start: str
    end: str
    order: Literal["asc", "desc"]
    columns: tuple[Column, ...]
    chart_by: str | None
    chart_kind: ChartKind | None
    is_default: bool


def check_content(content: ViewContent, now_ns: int) -> None:
    """Raises InvalidRequest for a value that cannot be stored or shown. Does not check the query, which the service
    parses."""
    check_text("name", content.name)
    if content.folder:
        check_text("folder", content.folder)
    if resolve_time(content.start, now_ns, "start") >= resolve_time(content.end, now_ns, "end"):
        raise InvalidRequest(f"the range from {content.start} to {content.end} is empty: `start` must be before `end`")
    others = sum(column.field != MESSAGE for column in content.columns)
    if others > MAX_COLUMNS:
        raise InvalidRequest(f"the view has {others} columns beside `{MESSAGE}`: give at most {MAX_COLUMNS}")
    for column in content.columns:
        _check_field("columns.field", column.field, FIELD_CHARACTERS)
        if column.width is not None and not NARROWEST <= column.width <= WIDEST:
            raise InvalidRequest(f"`columns.width` is {column.width}: it must be {NARROWEST} to {WIDEST}, or null")
    fields = [column.field for column in content.columns]
    if repeated := next((field for field in fields if fields.count(field) > 1), None):
        raise InvalidRequest(f"`columns` has the field {repeated!r} more than once: name each field once")
    if content.chart_by is not None:
        _check_field("chart_by", content.chart_by, CHART_BY_CHARACTERS)


def check_chart(content: ViewContent, before: ViewContent | None = None) -> None:
    """Raises InvalidRequest if the chart cannot count by the field `chart_by`. The field that the view had `before` the
    change stays allowed, because earlier releases stored any field."""
    field = content.chart_by
    if field is None or (before is not None and field == before.chart_by):
        return
    try:
        counted_field(field)
    except InvalidRequest as error:
        raise InvalidRequest(f"`chart_by` is {field!r}: {error.detail}") from error


def columns_to_json(columns: tuple[Column, ...]) -> str:
    """Returns the stored form of columns."""
    return json.dumps([asdict(column) for column in columns], separators=(",", ":"))


def columns_from_json(text: str) -> tuple[Column, ...]:
    """Returns the columns of a stored view."""
    return tuple(Column(each["field"], each["width"]) for each in json.loads(text))


def _check_field(member: str, text: str, longest: int) -> None:
    if not 1 <= len(text) <= longest:
        raise InvalidRequest(f"`{member}` has {len(text)} characters: give the name of a field with 1 to {longest}")
    if "\0" in text:
        raise InvalidRequest(f"`{member}` has a NUL character, which a view cannot store: choose a field without it")
