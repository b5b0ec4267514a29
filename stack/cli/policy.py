"""`logsieve policy …`."""

import dataclasses
import json
from typing import Annotated

import typer
from rich.table import Table

from kit.settings import Settings
from schema.attribute_rules import Action
from stack.cli.console import output
from stack.terminal_text import one_line

Name = Annotated[str, typer.Argument(help="Name of the attribute, in any case.")]
Tenant = Annotated[str | None, typer.Option(help="Tenant of the rule; the whole installation when left out.")]
IsPrefix = Annotated[
    bool, typer.Option("--prefix", help="The rule applies to all names that begin with NAME, such as `app.internal.`.")
]


def list_rules(
    tenant: Annotated[str | None, typer.Option(help="List only the rules that apply to this tenant.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """List which attributes are dropped or masked before anything is stored."""
    from stack.cli.control import call_policies

    rules = call_policies(Settings(), lambda service: service.rules(tenant))
    if as_json:
        output().print_json(json.dumps([dataclasses.asdict(rule) for rule in rules]))
        return
    table = Table("tenant", "name", "kind", "action", box=None, pad_edge=False)
    for rule in rules:
        kind = "prefix" if rule.is_prefix else "name"
        table.add_row(rule.tenant or "(all)", one_line(rule.pattern), kind, rule.action)
    output().print(table)


def add_rule(
    name: Name,
    action: Annotated[Action, typer.Argument(help="`drop` removes the attribute, `mask` stores `***` for its value.")],
    tenant: Tenant = None,
    prefix: IsPrefix = False,
) -> None:
    """Drop or mask attributes by name; takes effect within 5 seconds. Replaces an existing rule for the name."""
    from stack.cli.control import call_policies

    change = call_policies(Settings(), lambda service: service.add(tenant, name, prefix, action))
    output().print(f"{change.value}: {action} {_of(name, prefix, tenant)}", markup=False, highlight=False)


def remove_rule(name: Name, tenant: Tenant = None, prefix: IsPrefix = False) -> None:
    """Remove a rule. Within 5 seconds new values are stored again; dropped and masked values are lost."""
    from stack.cli.control import call_policies

    call_policies(Settings(), lambda service: service.remove(tenant, name, prefix))
    output().print(f"removed: {_of(name, prefix, tenant)}", markup=False, highlight=False)


def add_default_rules(tenant: Tenant = None) -> None:
    """Mask credentials that are often logged by mistake: authorization and cookie headers, API keys, passwords."""
    from stack.cli.control import call_policies

    added = call_policies(Settings(), lambda service: service.add_recommended(tenant))
    output().print(f"added {added} rules for {_whose(tenant)}; `logsieve policy list` shows them", highlight=False)


def _of(name: str, is_prefix: bool, tenant: str | None) -> str:
    return f"{name}{' (prefix)' if is_prefix else ''} of {_whose(tenant)}"


def _whose(tenant: str | None) -> str:
    return "all tenants" if tenant is None else f"tenant {tenant}"
