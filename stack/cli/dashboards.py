"""`logsieve dashboard …`."""

import json
from typing import Annotated

import typer
from rich.table import Table

from stack.cli.console import output
from stack.cli.query_options import Key, Url, api_client
from stack.cli.times import view_time
from stack.terminal_text import one_line

Name = Annotated[str, typer.Argument(help="Name of the dashboard.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def list_dashboards(url: Url = None, key: Key = None, as_json: AsJson = False) -> None:
    """List the dashboards of the key's tenant, by name."""
    from stack.client.saved_dashboards import dashboards

    with api_client("", url, key) as client:
        listed = dashboards(client).all()
    if as_json:
        output().print_json(json.dumps([each.model_dump() for each in listed]))
        return
    table = Table("name", "panels", "from", "to", "refresh", "id", box=None, pad_edge=False)
    for each in listed:
        refresh = "" if each.refresh_seconds is None else f"{each.refresh_seconds} s"
        table.add_row(one_line(each.name), str(len(each.panels)), each.start, each.end, refresh, each.id)
    output().print(table)


def show_dashboard(name: Name, url: Url = None, key: Key = None, as_json: AsJson = False) -> None:
    """Show the panels of a dashboard: their views, queries and sizes."""
    from stack.client.saved_dashboards import dashboards

    with api_client("", url, key) as client:
        dashboard = dashboards(client).read(name)
    if as_json:
        output().print_json(json.dumps(dashboard))
        return
    views = {view["id"]: view for view in dashboard["views"]}
    table = Table("panel", "view", "query", "columns", "rows", box=None, pad_edge=False)
    for panel in dashboard["panels"]:
        view = views.get(panel["view"], {"name": "(deleted)", "query": ""})
        texts = [panel["title"] or view["name"], view["name"], view["query"]]
        table.add_row(*map(one_line, texts), str(panel["width"]), str(panel["height"]))
    output().print(table)


def save_dashboard(
    name: Name,
    view: Annotated[
        list[str] | None,
        typer.Option(
            help="Name of a saved view to show as a panel; may be repeated. The given views replace all panels."
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(help="Start of the range: how long ago (30s, 15m, 1h, 7d), a day, or an RFC 3339 time."),
    ] = None,
    until: Annotated[str | None, typer.Option(help="End of the range, in the same forms, or `now`.")] = None,
    refresh: Annotated[
        int | None, typer.Option(help="Seconds between two refreshes of the open dashboard, 10 to 86400; 0 for none.")
    ] = None,
    url: Url = None,
    key: Key = None,
) -> None:
    """Save a dashboard of saved views, or change the dashboard of this name. Options that are left out keep their
    values."""
    from stack.client import saved_dashboards

    requested: dict[str, object] = {}
    if since is not None:
        requested["start"] = view_time(since)
    if until is not None:
        requested["end"] = view_time(until)
    if refresh is not None:
        requested["refresh_seconds"] = refresh or None
    with api_client("", url, key) as client:
        is_new = saved_dashboards.save_dashboard(client, name, requested, view)
    output().print(f"{'saved' if is_new else 'changed'}: dashboard {one_line(name)}", highlight=False)


def delete_dashboard(name: Name, url: Url = None, key: Key = None) -> None:
    """Delete a dashboard. Its views are not deleted."""
    from stack.client.saved_dashboards import dashboards

    with api_client("", url, key) as client:
        dashboards(client).delete(name)
    output().print(f"deleted: dashboard {one_line(name)}", highlight=False)
