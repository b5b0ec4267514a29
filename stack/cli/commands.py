"""Lists every command. A test compares docs/commands.md with this list."""

from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated, Final

import typer

from stack.cli.alert_rules import (
    delete_alert_rule,
    list_alert_rules,
    mute_alert_rule,
    save_alert_rule,
    send_test_notices,
    show_alert_history,
    show_alert_rule,
)
from stack.cli.audit import list_audit
from stack.cli.dashboards import delete_dashboard, list_dashboards, save_dashboard, show_dashboard
from stack.cli.dead import list_dead, replay_dead, show_dead
from stack.cli.doctor import doctor
from stack.cli.down import down
from stack.cli.explain import explain
from stack.cli.export import export
from stack.cli.fields import fields, values
from stack.cli.index import show_profiles, use_profile
from stack.cli.keys import create_key, label_key, list_keys, revoke_key
from stack.cli.loadtest_group import LoadtestGroup
from stack.cli.logs import search, tail
from stack.cli.migrate import migrate
from stack.cli.move_cold import move_cold
from stack.cli.patterns import patterns
from stack.cli.policy import add_default_rules, add_rule, list_rules, remove_rule
from stack.cli.processes import alerts, api, loader, receiver
from stack.cli.query_command import QueryCommand
from stack.cli.redaction import keep, list_redactions, redact
from stack.cli.replica import admit_replica, fill_replica
from stack.cli.retention import run_retention
from stack.cli.settings import settings
from stack.cli.stats import stats
from stack.cli.status import status
from stack.cli.tenant_erasures import erasures
from stack.cli.tenant_life import delete_tenant, set_body_size, set_retention
from stack.cli.tenant_move import move_tenant
from stack.cli.tenant_storage import storage
from stack.cli.tenants import create_tenant, limits, list_tenants
from stack.cli.ui import ui
from stack.cli.up import up
from stack.cli.usage import usage
from stack.cli.views import delete_view, list_views, save_view, show_view

Command = Callable[..., None]

COMMANDS: Final[dict[str, Command | dict[str, Command]]] = {
    "up": up,
    "down": down,
    "ui": ui,
    "status": status,
    "doctor": doctor,
    "settings": settings,
    "migrate": migrate,
    "index": {"show": show_profiles, "use": use_profile},
    "receiver": receiver,
    "loader": loader,
    "api": api,
    "alerts": alerts,
    "tenant": {
        "create": create_tenant,
        "list": list_tenants,
        "limits": limits,
        "retention": set_retention,
        "move": move_tenant,
        "body-size": set_body_size,
        "delete": delete_tenant,
        "erasures": erasures,
        "storage": storage,
    },
    "key": {"create": create_key, "list": list_keys, "label": label_key, "revoke": revoke_key},
    "policy": {
        "list": list_rules,
        "add": add_rule,
        "remove": remove_rule,
        "add-defaults": add_default_rules,
        "redact": redact,
        "redactions": list_redactions,
        "keep": keep,
    },
    "audit": {"list": list_audit},
    "usage": usage,
    "logs": {
        "search": search,
        "tail": tail,
        "stats": stats,
        "patterns": patterns,
        "export": export,
        "fields": fields,
        "values": values,
        "explain": explain,
    },
    "view": {"list": list_views, "show": show_view, "save": save_view, "delete": delete_view},
    "dashboard": {
        "list": list_dashboards,
        "show": show_dashboard,
        "save": save_dashboard,
        "delete": delete_dashboard,
    },
    "alert": {
        "list": list_alert_rules,
        "show": show_alert_rule,
        "save": save_alert_rule,
        "mute": mute_alert_rule,
        "test": send_test_notices,
        "history": show_alert_history,
        "delete": delete_alert_rule,
    },
    "retention": {"run": run_retention, "move-cold": move_cold},
    "replica": {"fill": fill_replica, "admit": admit_replica},
    "dead": {"list": list_dead, "show": show_dead, "replay": replay_dead},
}
"""All commands except those of load tests, which LoadtestGroup makes from the studies."""
GROUPS: Final = {
    "tenant": "Tenants: the owners of logs.",
    "key": "Keys, with which programs and people sign in.",
    "policy": "Rules that drop or mask attributes, and redactions of bodies, before records are stored.",
    "audit": "The audit log: who changed tenants, keys, rules, views, dashboards and alert rules, and when.",
    "index": "The index on words of log bodies: show or switch the profile of the log tables.",
    "logs": "Search, follow, count and export from the terminal.",
    "view": "Saved views: searches that the users of a tenant share under names.",
    "dashboard": "Dashboards: saved views on a grid, over one range of time.",
    "alert": "Alert rules: stats queries with a condition, and the channels of their notices.",
    "retention": "Drop partitions that are past their retention, and move old ones to the cold volume.",
    "replica": "Replicas of ClickHouse: servers that each have all logs of a shard.",
    "dead": "Dead letters: messages that could not be loaded.",
}


def application() -> typer.Typer:
    """Returns the command line, assembled from COMMANDS."""
    app = typer.Typer(
        callback=_options,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        help="Search the logs of many tenants.",
    )
    for name, entry in COMMANDS.items():
        if callable(entry):
            app.command(name)(entry)
            continue
        group = typer.Typer(no_args_is_help=True, help=GROUPS[name])
        for inner, command in entry.items():
            group.command(inner, cls=QueryCommand if name in ("logs", "view") else None)(command)
        app.add_typer(group, name=name)
    measure = "Measure and attack a stack that is started for the test and removed afterwards."
    app.add_typer(typer.Typer(cls=LoadtestGroup, no_args_is_help=True, help=measure), name="loadtest")
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"logsieve {version('logsieve')}")
        raise typer.Exit


def _options(
    _version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Search the logs of many tenants."""
