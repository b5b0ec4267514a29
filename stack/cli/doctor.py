"""`logsieve doctor`."""

import dataclasses
import json
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.table import Table
from rich.text import Text

from kit.clock import SystemClock
from kit.settings import Settings
from stack.cli.console import output
from stack.cli.doctor_profile import profile as show_profile
from stack.cli.times import seconds_of
from stack.running_settings import running_settings
from stack.terminal_text import one_line

_STYLES = {"ok": "green", "warn": "yellow", "fail": "red"}
MAX_PROFILE_SECONDS: Final = 3600
"""Longest profile, in seconds. All of its samples are in memory."""


def doctor(
    compare: Annotated[
        bool,
        typer.Option(
            "--compare", help="Compare the replicas of each shard instead, by count and hash. Reads every body once."
        ),
    ] = False,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            metavar="DURATION",
            help="Record ClickHouse's threads for this time, such as 30s, instead of the checks. Writes flame graphs by"
            " wall-clock time (Real) and CPU time, and prints the functions with the largest shares.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            exists=True,
            file_okay=False,
            help="Folder for the SVG file of --profile; the current folder when left out.",
        ),
    ] = None,
    query_id: Annotated[
        str | None, typer.Option("--query-id", help="Profile only the statement with this query id.")
    ] = None,
    user: Annotated[str | None, typer.Option("--user", help="Profile only statements of this ClickHouse user.")] = None,
    thread: Annotated[
        str | None, typer.Option("--thread", help="Profile only threads with this name, such as QueryPipelineEx.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Check ClickHouse, Kafka and the control plane, and say what to do. Exits with 1 when a check fails."""
    from kit.profile.read_samples import Selection
    from stack.doctor.compare import compare_replicas
    from stack.doctor.examine import examine
    from stack.doctor.finding import Level

    selection = Selection(query_id, user, thread)
    if profile is None and (out is not None or selection != Selection()):
        raise typer.BadParameter("--out, --query-id, --user and --thread are options of --profile: add --profile 30s")
    if profile is not None:
        if compare:
            raise typer.BadParameter("--compare and --profile cannot be combined: run one after the other")
        seconds = _seconds(profile)
        show_profile(running_settings(Settings()), seconds, out or Path(), selection, as_json=as_json)
        return
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


def _seconds(text: str) -> int:
    seconds = seconds_of(text)
    if not 1 <= seconds <= MAX_PROFILE_SECONDS:
        raise typer.BadParameter(f"a profile takes from 1s to {MAX_PROFILE_SECONDS}s: {text!r} is outside")
    return seconds
