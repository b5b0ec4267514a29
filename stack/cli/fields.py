"""`logsieve logs fields` and `logsieve logs values`."""

from typing import TYPE_CHECKING, Annotated

import typer

from stack.cli.console import errors, output
from stack.cli.query_options import Key, QueryText, Since, Until, Url, api_client, say_nothing_found, time_range
from stack.terminal_text import escape_json, one_line

if TYPE_CHECKING:
    from stack.client.field_counts import FieldList, ValueList

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")]


def fields(
    query: QueryText = "",
    since: Since = "1h",
    until: Until = None,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """List the fields that matching logs have, and how many logs have each."""
    from stack.client.field_counts import Range, list_fields

    start, end = time_range(since, until)
    with api_client(query, url, key) as client:
        found = list_fields(client, Range(query, start, end))
    for field in found.fields:
        _print(escape_json(field.model_dump_json()) if as_json else f"{field.records:>12,}  {one_line(field.name)}")
    if not found.fields:
        say_nothing_found(start)
    _print_gaps(found)


def values(
    name: Annotated[str, typer.Argument(metavar="FIELD", help="Field, as written in a query, without quotes.")],
    query: QueryText = "",
    since: Since = "1h",
    until: Until = None,
    prefix: Annotated[str, typer.Option(help="List only values that begin with this text; case counts.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Largest number of values.")] = 20,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """List the most frequent values of a field in matching logs, and how many logs have each."""
    from stack.client.field_counts import Range, list_values

    start, end = time_range(since, until)
    with api_client(query, url, key) as client:
        found = list_values(client, Range(query, start, end), name, prefix, limit)
    for value in found.values:
        _print(escape_json(value.model_dump_json()) if as_json else f"{value.records:>12,}  {one_line(value.value)}")
    _print_gaps(found)
    if found.more:
        errors().print("there are more values: raise --limit or give a --prefix", style="dim")


def _print(line: str) -> None:
    output().print(line, highlight=False, soft_wrap=True)


def _print_gaps(found: "FieldList | ValueList") -> None:
    """Prints the limits of the counts on standard error."""
    if found.complete:
        return
    of = "" if found.sampled is None else f" of the newest {found.sampled:,} matching logs"
    errors().print(f"counts{of} are approximate, and rare ones may be missing", style="dim")
