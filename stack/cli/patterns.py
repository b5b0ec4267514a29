"""`logsieve logs patterns`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.table import Table
from rich.text import Text

from stack.cli.console import errors, output
from stack.cli.query_options import Key, QueryText, Since, Until, Url, api_client, time_range
from stack.terminal_text import escape_json, one_line

if TYPE_CHECKING:
    from stack.client.log_patterns import LogPatterns

_HEIGHTS: Final = " ▁▂▃▄▅▆▇█"
_TREND: Final = 20
"""Number of characters of a trend, each of which is a bar."""


def patterns(
    query: QueryText = "",
    since: Since = "1h",
    until: Until = None,
    url: Url = None,
    key: Key = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="Largest number of patterns.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print the API's answer as JSON.")] = False,
) -> None:
    """Group matching messages into patterns: templates with <*> where messages differ."""
    from stack.client.log_patterns import PatternsRequest, read_patterns

    start, end = time_range(since, until)
    with api_client(query, url, key) as client:
        found, raw = read_patterns(client, PatternsRequest(query, start, end, limit))
    if as_json:
        typer.echo(escape_json(raw.decode()))
        return
    output().print(table_of(found))
    for note in notes_of(found):
        errors().print(note, style="dim", highlight=False)


def table_of(found: "LogPatterns") -> Table:
    """Returns the patterns as a table."""
    table = Table(box=None, pad_edge=False)
    table.add_column("records", justify="right")
    table.add_column("share", justify="right")
    table.add_column("trend", no_wrap=True)
    table.add_column("new")
    table.add_column("pattern", overflow="fold")
    for each in found.patterns:
        share = f"{'~' if found.is_estimate else ''}{each.share:.1%}"
        trend = Text(trend_of(each.counts), style="blue")
        table.add_row(f"{each.records:,}", share, trend, "new" if each.new else "", Text(one_line(each.template)))
    return table


def notes_of(found: "LogPatterns") -> list[str]:
    """Returns sentences about what the table does not show."""
    notes = []
    if found.is_estimate:
        if found.matching is None:
            sampled = f"The newest {found.sampled:,} matching logs"
        else:
            sampled = f"{found.sampled:,} of {found.matching:,} matching logs, spread over their time,"
        notes.append(f"{sampled} were grouped: shares are estimates.")
    if found.found > len(found.patterns):
        notes.append(f"{len(found.patterns)} of {found.found:,} patterns are shown: --limit shows up to 200.")
    if not found.sampled:
        notes.append("No logs match in this range.")
    return notes


def trend_of(counts: Sequence[int]) -> str:
    """Returns counts over time as a line of bars. A bar is empty only if its count is 0."""
    size = max(1, len(counts) // _TREND)
    sums = [sum(counts[place : place + size]) for place in range(0, len(counts), size)]
    largest = max(sums, default=0)
    return "".join(_HEIGHTS[-(-each * (len(_HEIGHTS) - 1) // largest)] if each else " " for each in sums)
