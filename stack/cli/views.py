"""`logsieve view …`."""

import json
from typing import Annotated, Literal

import typer
from rich.table import Table

from stack.cli.console import output
from stack.cli.query_options import Key, Url, api_client
from stack.cli.times import view_time
from stack.terminal_text import json_text, one_line

Name = Annotated[str, typer.Argument(help="Name of the view.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def list_views(url: Url = None, key: Key = None, as_json: AsJson = False) -> None:
    """List the saved views of the key's tenant, by folder and name."""
    from stack.client.saved_views import views

    with api_client("", url, key) as client:
        listed = views(client).all()
    if as_json:
        output().print_json(json.dumps([view.model_dump() for view in listed]))
        return
    table = Table("folder", "name", "default", "id", box=None, pad_edge=False)
    for view in listed:
        table.add_row(one_line(view.folder), one_line(view.name), "yes" if view.is_default else "", view.id)
    output().print(table)


def show_view(name: Name, url: Url = None, key: Key = None, as_json: AsJson = False) -> None:
    """Show a view: its query, range, order, columns and authors."""
    from stack.client.saved_views import read_view

    with api_client("", url, key) as client:
        view = read_view(client, name)
    if as_json:
        output().print_json(json.dumps(view.raw))
        return
    table = Table(box=None, pad_edge=False, show_header=False)
    for member, value in view.raw.items():
        table.add_row(member, one_line(value if isinstance(value, str) else json_text(value)))
    output().print(table)


def save_view(
    name: Name,
    query: Annotated[str | None, typer.Argument(help="Query, as docs/query-language.md describes it.")] = None,
    since: Annotated[
        str | None,
        typer.Option(help="Start of the range: how long ago (30s, 15m, 1h, 7d), a day, or an RFC 3339 time."),
    ] = None,
    until: Annotated[str | None, typer.Option(help="End of the range, in the same forms, or `now`.")] = None,
    order: Annotated[Literal["asc", "desc"] | None, typer.Option(help="asc: oldest first; desc: newest first.")] = None,
    folder: Annotated[str | None, typer.Option(help="Folder of the view; empty for none.")] = None,
    column: Annotated[
        list[str] | None, typer.Option(help="Field that the web UI shows as a column; may be repeated.")
    ] = None,
    chart_by: Annotated[
        str | None, typer.Option("--by", help="Field whose values the chart's bars are stacked by.")
    ] = None,
    chart: Annotated[
        Literal["lines", "bars", "top", "table", "number"] | None,
        typer.Option(help="Kind of chart that the web UI draws for a query with `| stats`."),
    ] = None,
    default: Annotated[
        bool | None, typer.Option("--default/--no-default", help="Open this view first in the web UI, or no longer.")
    ] = None,
    url: Url = None,
    key: Key = None,
) -> None:
    """Save a view, or change the view of this name. Options that are left out keep their values."""
    from stack.client import saved_views

    requested = {
        "query": query,
        "start": None if since is None else view_time(since),
        "end": None if until is None else view_time(until),
        "order": order,
        "folder": folder,
        "columns": [{"field": field} for field in column] if column else None,
        "chart_by": chart_by,
        "chart_kind": chart,
        "is_default": default,
    }
    with api_client(query or "", url, key) as client:
        is_new = saved_views.save_view(
            client, name, {each: value for each, value in requested.items() if value is not None}
        )
    output().print(f"{'saved' if is_new else 'changed'}: view {one_line(name)}", highlight=False)


def delete_view(name: Name, url: Url = None, key: Key = None) -> None:
    """Delete a view."""
    from stack.client.saved_views import views

    with api_client("", url, key) as client:
        views(client).delete(name)
    output().print(f"deleted: view {one_line(name)}", highlight=False)
