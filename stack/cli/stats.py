"""`logsieve logs stats`."""

import csv
import io
import sys
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from stack.cli.console import errors, output
from stack.cli.query_options import Key, QueryText, Since, Until, Url, api_client, time_range
from stack.terminal_text import escape_json, one_line

if TYPE_CHECKING:
    from stack.client.log_stats import Cell, LogStats, StatsLine

BAR: Final = 40
"""Width of the longest bar, in characters."""
OTHER: Final = "(other)"
ABSENT: Final = "-"
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"


def stats(
    query: QueryText = "| stats count() by service",
    since: Since = "1h",
    until: Until = None,
    url: Url = None,
    key: Key = None,
    chart: Annotated[bool, typer.Option("--chart", help="Print bars of the first function.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the API's answer as JSON.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
) -> None:
    """Compute numbers over matching logs, such as `error | stats count(), p95(latency_ms) by service`."""
    from stack.client.log_stats import StatsRequest, lines_of, read_stats

    if chart + as_json + as_csv > 1:
        raise typer.BadParameter("--chart, --json and --csv are three forms of one answer: give one of them")
    start, end = time_range(since, until)
    with api_client(query, url, key) as client:
        found, raw = read_stats(client, StatsRequest(query, start, end))
    if as_json:
        typer.echo(escape_json(raw.decode()))
        return
    lines = list(lines_of(found))
    if as_csv:
        _print_csv(csv_text(found, lines))
    elif chart:
        print_chart(output(), lines)
    else:
        output().print(table_of(found, lines))
    if found.left_out is not None:
        errors().print(one_line(found.left_out), style="dim", highlight=False)


def table_of(found: "LogStats", lines: "Sequence[StatsLine]") -> Table:
    """Returns the numbers as a table."""
    table = Table(box=None, pad_edge=False)
    for name in [*(["time"] if found.buckets else []), *found.fields]:
        table.add_column(one_line(name))
    for name in found.functions:
        table.add_column(one_line(name), justify="right")
    for line in lines:
        group = [OTHER, *[""] * (len(found.fields) - 1)] if line.is_other else [_shown(each) for each in line.group]
        time = [] if line.bucket is None else [_time(line.bucket)]
        table.add_row(*time, *group, *(_number(value) for value in line.values))
    return table


def print_chart(console: Console, lines: "Sequence[StatsLine]") -> None:
    """Prints a bar for each group or, with time buckets, for each bucket of each group.

    All bars have one scale, which begins at 0. Values that are not above 0 have no bar.
    """
    longest = max((_height(line) for line in lines), default=0.0)
    labels = [_label(line) for line in lines]
    width = max(map(len, labels), default=0)
    for group, part in groupby(zip(lines, labels, strict=True), key=lambda pair: _group(pair[0])):
        pairs = list(part)
        if pairs[0][0].bucket is not None and group:
            console.print(Text(group, style="bold"), soft_wrap=True)
        for line, label in pairs:
            drawn = Text(f"{label:<{width}}  ").append(bar(_height(line), longest), style="blue")
            console.print(drawn.append(f" {_number(line.values[0])}"), soft_wrap=True)


def bar(value: float, longest: float) -> str:
    """Returns a bar of at most BAR characters; `longest` is the value of the longest one."""
    eighths = round(value / longest * BAR * 8) if longest > 0 else 0
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def csv_text(found: "LogStats", lines: "Sequence[StatsLine]") -> str:
    """Returns the numbers as CSV with names in the first line. `kind` is `group` or `other`.

    A field that a group's records do not have is an empty cell, like an empty value.
    """
    from backend.export.formats import guarded

    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    names = [*found.fields, *found.functions]
    writer.writerow(["kind", *(["time"] if found.buckets else []), *(guarded(name) for name in names)])
    for line in lines:
        group = [""] * len(found.fields) if line.is_other else [guarded(each or "") for each in line.group]
        time = [] if line.bucket is None else [line.bucket]
        values = ["" if value is None else value for value in line.values]
        writer.writerow(["other" if line.is_other else "group", *time, *group, *values])
    return text.getvalue()


def _print_csv(text: str) -> None:
    """Prints CSV: as it is into a file or a pipe, with escapes for hidden characters on a terminal."""
    from stack.terminal_export import terminal_pieces

    pieces = [text.encode()]
    for piece in terminal_pieces(pieces, "csv") if sys.stdout.isatty() else pieces:
        sys.stdout.buffer.write(piece)
    sys.stdout.flush()


def _label(line: "StatsLine") -> str:
    return _group(line) if line.bucket is None else _time(line.bucket)


def _time(bucket: str) -> str:
    """Returns the bucket's start without zeros at the end of its fraction."""
    return bucket.removesuffix("Z").rstrip("0").rstrip(".") + "Z"


def _group(line: "StatsLine") -> str:
    return OTHER if line.is_other else ", ".join(_shown(each) for each in line.group)


def _height(line: "StatsLine") -> float:
    value = line.values[0]
    return max(0.0, float(value)) if isinstance(value, int | float) else 0.0


def _shown(value: str | None) -> str:
    if value is None:
        return ABSENT
    return one_line(value) or '""'


def _number(value: "Cell") -> str:
    match value:
        case None:
            return ABSENT
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.6g}"
    return one_line(value)
