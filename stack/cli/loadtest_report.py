"""`logsieve loadtest report`, which needs no running stack."""

import shlex
from datetime import UTC, datetime
from itertools import takewhile
from pathlib import Path
from typing import Annotated

import typer

from kit.folders import PACKAGES
from stack.cli.console import errors
from stack.cli.loadtest import record
from stack.cli.loadtest_origin import requested


def report(
    folder: Annotated[
        Path,
        typer.Option(
            exists=True, file_okay=False, help="Folder of the pages, with the results in its folder results/."
        ),
    ] = PACKAGES / "docs" / "benchmarks",
    line: Annotated[
        Path | None,
        typer.Option(
            "--from",
            exists=True,
            dir_okay=False,
            help="Store the last line of this file, which is JSON, as a result first.",
        ),
    ] = None,
    command: Annotated[
        str | None,
        typer.Option(
            help="Command that printed the result of --from, such as 'logsieve loadtest tail --seconds 600'. Put its "
            "settings first, such as LOGSIEVE_LANES=8."
        ),
    ] = None,
    code: Annotated[str | None, typer.Option("--commit", help="Commit on which the result was measured.")] = None,
) -> None:
    """Write docs/benchmarks from the results of studies: the index, the pages and the pictures."""
    from loadtest.own_stack import applying
    from loadtest.report.write import write_report

    if line is None:
        for file in write_report(folder):
            errors().print(str(file), highlight=False)
        return
    every = shlex.split(command or "")
    settings = list(takewhile(lambda word: word.startswith("LOGSIEVE_") and "=" in word, every))
    words = every[len(settings) :]
    if words[:2] != ["logsieve", "loadtest"] or len(words) < 3:
        raise typer.BadParameter("--from needs --command '[LOGSIEVE_SETTING=VALUE …] logsieve loadtest STUDY …'")
    printed = line.read_text().splitlines()
    if not printed:
        raise typer.BadParameter(f"{line} is empty")
    measured_on = datetime.fromtimestamp(line.stat().st_mtime, UTC).date()
    shown = " ".join([*applying(dict(each.split("=", 1) for each in settings)), requested(words[1:])])
    record(words[2], printed[-1], shown, measured_on, code, folder)
