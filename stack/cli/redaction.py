"""`logsieve policy redact`, `redactions` and `keep`: commands for redactions of secrets in bodies."""

import dataclasses
import json
from typing import Annotated

import typer
from rich.table import Table

from kit.settings import Settings
from stack.cli.console import output

Name = Annotated[str, typer.Argument(help="Name of a built-in redaction, or a new name for the expression of --regex.")]
Tenant = Annotated[str | None, typer.Option(help="Tenant of the redaction; the whole installation when left out.")]


def redact(
    name: Name,
    regex: Annotated[
        str | None, typer.Option(help="RE2 expression; its matches in bodies are stored as `***`.")
    ] = None,
    tenant: Tenant = None,
) -> None:
    """Redact matches in bodies; takes effect within 5 seconds.

    Built in: card, email, bearer, jwt, aws-key, private-key.
    """
    from stack.cli.control import call_redactions

    call_redactions(Settings(), lambda service: service.add(tenant, name, regex))
    output().print(f"{name} is redacted in new records of {_whose(tenant)}", markup=False, highlight=False)


def list_redactions(
    tenant: Annotated[str | None, typer.Option(help="List only the redactions that apply to this tenant.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """List the redactions that are applied to bodies before records are stored."""
    from stack.cli.control import call_redactions

    redactions = call_redactions(Settings(), lambda service: service.redactions(tenant))
    if as_json:
        output().print_json(json.dumps([dataclasses.asdict(each) for each in redactions]))
        return
    table = Table("tenant", "name", "expression", box=None, pad_edge=False)
    for each in redactions:
        table.add_row(each.tenant or "(all)", each.name, each.expression or "(built in)")
    output().print(table)


def keep(
    name: Annotated[str, typer.Argument(help="Name of the redaction, as `logsieve policy redactions` shows it.")],
    tenant: Tenant = None,
) -> None:
    """Stop a redaction. Within 5 seconds new matches are stored again; texts that were redacted are lost."""
    from stack.cli.control import call_redactions

    call_redactions(Settings(), lambda service: service.remove(tenant, name))
    output().print(f"{name} is no longer redacted in new records of {_whose(tenant)}", markup=False, highlight=False)


def _whose(tenant: str | None) -> str:
    return "all tenants" if tenant is None else f"tenant {tenant}"
