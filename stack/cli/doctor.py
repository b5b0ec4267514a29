"""`logsieve doctor`."""

import dataclasses
import json
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from kit.clock import SystemClock
from kit.settings import Settings
from stack.cli.console import output
from stack.running_settings import running_settings
from stack.terminal_text import one_line

_STYLES = {"ok": "green", "warn": "yellow", "fail": "red"}


def doctor(
    compare: Annotated[
        bool,
        typer.Option(
            "--compare", help="Compare the replicas of each shard instead, by count and hash. Reads every body once."
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Check ClickHouse, Kafka and the control plane, and say what to do. Exits with 1 when a check fails."""
    from stack.doctor.compare import compare_replicas
    from stack.doctor.examine import examine
    from stack.doctor.finding import Level

    settings = running_settings(Settings())
    findings = compare_replicas(settings) if compare else examine(settings, SystemClock())
    if as_json:
        output().print_json(json.dumps([dataclasses.asdict(finding) for finding in findings]))
    else:
        table = Table("", "about", "seen", "what to do", box=None, pad_edge=False)
        for finding in findings:
            level = Text(finding.level, style=_STYLES[finding.level])
            table.add_row(level, Text(finding.about), Text(one_line(finding.seen)), Text(finding.advice))
        output().print(table)
    if any(finding.level is Level.fail for finding in findings):
        raise typer.Exit(1)
