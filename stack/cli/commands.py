"""Lists every command. A test compares docs/commands.md with this list."""

from collections.abc import Callable, MutableMapping
from functools import partial
from inspect import signature
from pkgutil import resolve_name
from typing import Annotated, Any, Final

import typer

from stack.cli.checked_command import CheckedCommand
from stack.cli.lazy_group import LazyCommands, LazyGroup
from stack.cli.loadtest_group import LoadtestGroup
from stack.cli.query_command import QueryCommand

COMMANDS: Final[dict[str, str | dict[str, str]]] = {
    "up": "stack.cli.up:up",
    "down": "stack.cli.down:down",
    "ui": "stack.cli.ui:ui",
    "status": "stack.cli.status:status",
    "doctor": "stack.cli.doctor:doctor",
    "settings": "stack.cli.settings:settings",
    "migrate": "stack.cli.migrate:migrate",
    "receiver": "stack.cli.processes:receiver",
    "loader": "stack.cli.processes:loader",
    "api": "stack.cli.processes:api",
    "alerts": "stack.cli.processes:alerts",
    "usage": "stack.cli.usage:usage",
    "index": {"show": "stack.cli.index:show_profiles", "use": "stack.cli.index:use_profile"},
    "tenant": {
        "create": "stack.cli.tenants:create_tenant",
        "list": "stack.cli.tenants:list_tenants",
        "limits": "stack.cli.tenants:limits",
        "retention": "stack.cli.tenant_life:set_retention",
        "move": "stack.cli.tenant_move:move_tenant",
        "body-size": "stack.cli.tenant_life:set_body_size",
        "delete": "stack.cli.tenant_life:delete_tenant",
        "erasures": "stack.cli.tenant_erasures:erasures",
        "storage": "stack.cli.tenant_storage:storage",
    },
    "key": {
        "create": "stack.cli.keys:create_key",
        "list": "stack.cli.keys:list_keys",
        "label": "stack.cli.keys:label_key",
        "revoke": "stack.cli.keys:revoke_key",
    },
    "policy": {
        "list": "stack.cli.policy:list_rules",
        "add": "stack.cli.policy:add_rule",
        "remove": "stack.cli.policy:remove_rule",
        "add-defaults": "stack.cli.policy:add_default_rules",
        "redact": "stack.cli.redaction:redact",
        "redactions": "stack.cli.redaction:list_redactions",
        "keep": "stack.cli.redaction:keep",
    },
    "audit": {"list": "stack.cli.audit:list_audit"},
    "logs": {
        "search": "stack.cli.logs:search",
        "tail": "stack.cli.logs:tail",
        "stats": "stack.cli.stats:stats",
        "patterns": "stack.cli.patterns:patterns",
        "export": "stack.cli.export:export",
        "fields": "stack.cli.fields:fields",
        "values": "stack.cli.fields:values",
        "explain": "stack.cli.explain:explain",
    },
    "view": {
        "list": "stack.cli.views:list_views",
        "show": "stack.cli.views:show_view",
        "save": "stack.cli.views:save_view",
        "delete": "stack.cli.views:delete_view",
    },
    "dashboard": {
        "list": "stack.cli.dashboards:list_dashboards",
        "show": "stack.cli.dashboards:show_dashboard",
        "save": "stack.cli.dashboards:save_dashboard",
        "delete": "stack.cli.dashboards:delete_dashboard",
    },
    "alert": {
        "list": "stack.cli.alert_rules:list_alert_rules",
        "show": "stack.cli.alert_rules:show_alert_rule",
        "save": "stack.cli.alert_rules:save_alert_rule",
        "mute": "stack.cli.alert_rules:mute_alert_rule",
        "test": "stack.cli.alert_rules:send_test_notices",
        "history": "stack.cli.alert_rules:show_alert_history",
        "delete": "stack.cli.alert_rules:delete_alert_rule",
    },
    "retention": {"run": "stack.cli.retention:run_retention", "move-cold": "stack.cli.move_cold:move_cold"},
    "replica": {"fill": "stack.cli.replica:fill_replica", "admit": "stack.cli.replica:admit_replica"},
    "dead": {
        "list": "stack.cli.dead:list_dead",
        "show": "stack.cli.dead:show_dead",
        "replay": "stack.cli.dead:replay_dead",
    },
}
"""The place of each command's function, `module:function`. LoadtestGroup makes the commands of load tests from the
studies."""
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
    return typer.Typer(
        cls=_Root,
        callback=_options,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        help="Search the logs of many tenants.",
    )


class _Root(LazyGroup):
    def table(self) -> MutableMapping[str, Any]:
        measure = "Measure and attack a stack that is started for the test and removed afterwards."
        makers: dict[str, Callable[[], Any]] = {name: partial(_entry, name, entry) for name, entry in COMMANDS.items()}
        return LazyCommands({**makers, "loadtest": partial(_group, "loadtest", LoadtestGroup, measure)})


def _entry(name: str, entry: str | dict[str, str]) -> Any:
    if isinstance(entry, str):
        return _command(name, entry)
    places = entry

    class Group(LazyGroup):
        def table(self) -> MutableMapping[str, Any]:
            return LazyCommands({inner: partial(_command, inner, place) for inner, place in places.items()})

    return _group(name, Group, GROUPS[name])


def _command(name: str, place: str) -> Any:
    function = resolve_name(place)
    made = typer.Typer()
    made.command(name, cls=QueryCommand if "query" in signature(function).parameters else CheckedCommand)(function)
    return typer.main.get_group(made).commands[name]


def _group(name: str, group_class: type[LazyGroup], summary: str) -> Any:
    made = typer.Typer()
    made.add_typer(typer.Typer(cls=group_class, no_args_is_help=True, help=summary), name=name)
    return typer.main.get_group(made).commands[name]


def _print_version(wanted: bool) -> None:
    if wanted:
        # Takes longer to import than the rest of the command line.
        from importlib.metadata import version

        typer.echo(f"logsieve {version('logsieve')}")
        raise typer.Exit


def _options(
    _version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Search the logs of many tenants."""
