"""`logsieve alert …`."""

import json
from datetime import UTC, datetime
from typing import Annotated, Literal

import typer
from rich.table import Table

from stack.cli.alert_options import channels_of, condition_of, pairs_of
from stack.cli.console import output
from stack.cli.query_options import Key, Url, api_client
from stack.cli.times import after, seconds_of
from stack.terminal_text import json_text, one_line

Name = Annotated[str, typer.Argument(help="Name of the alert rule.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def list_alert_rules(url: Url = None, key: Key = None, as_json: AsJson = False) -> None:
    """List the alert rules of the key's tenant and their states, by name."""
    from stack.client.saved_alerts import alerts

    with api_client("", url, key) as client:
        rules = alerts(client).all()
    if as_json:
        output().print_json(json.dumps([rule.model_dump() for rule in rules]))
        return
    table = Table("name", "state", "severity", "evaluated", "muted until", "query", box=None, pad_edge=False)
    for rule in rules:
        evaluated = "not evaluated yet" if rule.state == "ok" and rule.evaluated_at is None else rule.state
        state = f"{evaluated}: {rule.detail}" if rule.detail else evaluated
        texts = (rule.name, state, rule.severity, rule.evaluated_at or "", rule.muted_until or "", rule.query)
        table.add_row(*map(one_line, texts))
    output().print(table)


def show_alert_rule(name: Name, url: Url = None, key: Key = None, as_json: AsJson = False) -> None:
    """Show an alert rule and its pending and firing groups."""
    from stack.client.saved_alerts import alerts

    with api_client("", url, key) as client:
        status = alerts(client).read(name)
    if as_json:
        output().print_json(json.dumps(status))
        return
    table = Table(box=None, pad_edge=False, show_header=False)
    for member, value in status["alert"].items():
        table.add_row(member, one_line(value if isinstance(value, str) else json_text(value)))
    for group in status["groups"]:
        text = f"{json_text(group['group'])}: {group['value']}, since {group['since']}"
        table.add_row(group["state"], one_line(text))
    output().print(table)


def save_alert_rule(
    name: Name,
    query: Annotated[
        str | None, typer.Argument(help="Query with `| stats`, as docs/stats.md describes it, without `time(…)`.")
    ] = None,
    when: Annotated[
        str | None,
        typer.Option(
            help="Condition: a function of the query, one of > >= < <= ==, and a number; or `count() no_data`."
        ),
    ] = None,
    range_: Annotated[
        str | None, typer.Option("--range", help="Length of the range that each evaluation reads, such as 5m.")
    ] = None,
    every: Annotated[str | None, typer.Option(help="Time between two evaluations, 1m to 1d.")] = None,
    for_: Annotated[
        str | None, typer.Option("--for", help="Time that the condition must hold before a group fires, such as 2m.")
    ] = None,
    severity: Annotated[
        Literal["info", "warning", "critical"] | None, typer.Option(help="Severity of the rule's notices.")
    ] = None,
    label: Annotated[
        list[str] | None, typer.Option(help="Label of the rule's notices, as name=value; may be repeated.")
    ] = None,
    webhook: Annotated[
        list[str] | None, typer.Option(help="URL that receives notices as Logsieve's JSON; may be repeated.")
    ] = None,
    slack: Annotated[
        list[str] | None, typer.Option(help="URL of a Slack incoming webhook that receives notices; may be repeated.")
    ] = None,
    alertmanager: Annotated[
        list[str] | None,
        typer.Option(help="URL that receives notices in the format of Alertmanager's webhooks; may be repeated."),
    ] = None,
    email: Annotated[
        list[str] | None, typer.Option(help="Address that receives notices by e-mail; may be repeated.")
    ] = None,
    header: Annotated[
        list[str] | None, typer.Option(help="HTTP header of requests to the URLs, as 'Name: value'; may be repeated.")
    ] = None,
    url: Url = None,
    key: Key = None,
) -> None:
    """Save an alert rule, or change the rule of this name. Options that are left out keep their values. Channels
    (--webhook, --slack, --alertmanager, --email) replace all channels of the rule."""
    from stack.client.saved_alerts import save_alert

    urls = {"webhook": webhook or (), "slack": slack or (), "alertmanager": alertmanager or ()}
    headers = pairs_of(header or (), ":", "--header")
    requested = {
        "query": query,
        "condition": None if when is None else condition_of(when),
        "range_seconds": None if range_ is None else seconds_of(range_),
        "interval_seconds": None if every is None else seconds_of(every),
        "for_seconds": None if for_ is None else seconds_of(for_),
        "severity": severity,
        "labels": None if label is None else pairs_of(label, "=", "--label"),
        "channels": channels_of(urls, headers, email or ()) or None,
    }
    with api_client(query or "", url, key) as client:
        is_new = save_alert(client, name, {each: value for each, value in requested.items() if value is not None})
    output().print(f"{'saved' if is_new else 'changed'}: alert rule {one_line(name)}", highlight=False)


def mute_alert_rule(
    name: Name,
    duration: Annotated[
        str,
        typer.Argument(
            help="Time from now during which groups that begin to fire cause no notices, such as 2h. 0s ends the mute."
        ),
    ],
    url: Url = None,
    key: Key = None,
) -> None:
    """Mute an alert rule: for some time, send no notices of groups that begin to fire."""
    from stack.client.saved_alerts import mute_alert

    until = after(duration, datetime.now(UTC)).isoformat() if seconds_of(duration) else None
    with api_client("", url, key) as client:
        mute_alert(client, name, until)
    state = f"muted until {until}" if until else "no longer muted"
    output().print(f"{state}: alert rule {one_line(name)}", highlight=False)


def send_test_notices(name: Name, url: Url = None, key: Key = None) -> None:
    """Send a test notice to each channel of an alert rule. `logsieve alert history` shows whether they were sent."""
    from stack.client.saved_alerts import send_test

    with api_client("", url, key) as client:
        notices = send_test(client, name)
    for notice in notices:
        output().print(f"test notice {notice}", highlight=False)


def show_alert_history(name: Name, url: Url = None, key: Key = None, as_json: AsJson = False) -> None:
    """Show the newest changes of state and notices of an alert rule, newest first."""
    from backend.alerts.notices import number_text
    from stack.client.saved_alerts import read_history

    with api_client("", url, key) as client:
        history = read_history(client, name)
    if as_json:
        output().print_json(json.dumps(history))
        return
    events = Table("time", "group", "before", "after", "value", "detail", box=None, pad_edge=False)
    for event in history["events"]:
        group = "" if event["group"] is None else json_text(event["group"])
        value = "" if event["value"] is None else number_text(event["value"])
        events.add_row(*map(one_line, (event["at"], group, event["before"], event["after"], value, event["detail"])))
    output().print(events)
    notices = Table("notice", "kind", "time", "state", "attempts", "detail", box=None, pad_edge=False)
    for notice in history["notices"]:
        texts = (notice["id"], notice["kind"], notice["created_at"], notice["state"])
        notices.add_row(*map(one_line, texts), str(notice["attempts"]), one_line(notice["detail"]))
    output().print(notices)


def delete_alert_rule(name: Name, url: Url = None, key: Key = None) -> None:
    """Delete an alert rule. Sends a notice that it is resolved for each firing group that caused a notice."""
    from stack.client.saved_alerts import alerts

    with api_client("", url, key) as client:
        alerts(client).delete(name)
    output().print(f"deleted: alert rule {one_line(name)}", highlight=False)
