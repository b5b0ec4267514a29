"""`logsieve logs export`."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, BinaryIO, Literal

import typer
from rich.console import Console

from stack.cli.console import errors
from stack.cli.query_options import Key, Order, QueryText, Since, Until, Url, asking, time_range


def export(
    query: QueryText = "",
    since: Since = "1h",
    until: Until = None,
    order: Order = "desc",
    format: Annotated[Literal["ndjson", "csv"], typer.Option(help="One JSON object a line, or CSV.")] = "ndjson",
    output: Annotated[
        Path | None, typer.Option(help="File to write; standard output when left out.", dir_okay=False)
    ] = None,
    url: Url = None,
    key: Key = None,
) -> None:
    """Write every log that matches to a file: there under its name only once it is whole."""
    from stack.log_export import Export, export_logs

    start, end = time_range(since, until)
    with asking(query, url, key) as client:
        pieces = export_logs(client, Export(query, start, end, order, format))
        try:
            if output is None:
                _write(pieces, sys.stdout.buffer)
            else:
                _save(pieces, output)
        except BrokenPipeError as gone:
            # Whoever read our output, such as `head`, has seen enough; Python must not try to flush the rest.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(1) from gone


def _save(pieces: Iterator[bytes], output: Path) -> None:
    unfinished = output.with_name(f"{output.name}.part")
    try:
        with unfinished.open("wb") as file:
            written = _write(pieces, file)
    except OSError as error:
        errors().print(f"cannot write {unfinished}: {error.strerror}", style="red", markup=False)
        raise typer.Exit(1) from error
    unfinished.replace(output)
    errors().print(f"{_megabytes(written)} written to {output}", markup=False, highlight=False)


def _write(pieces: Iterator[bytes], file: BinaryIO) -> int:
    """Writes all pieces, says on a terminal how many bytes there are so far, and returns how many there were."""
    written = 0
    # A status line on the same terminal as the logs themselves would be in their way.
    progress = Console(stderr=True, quiet=file.isatty())
    with progress.status("exporting") as status:
        for piece in pieces:
            file.write(piece)
            written += len(piece)
            status.update(f"exporting, {_megabytes(written)}")
    file.flush()
    return written


def _megabytes(count: int) -> str:
    return f"{count / 1e6:.1f} MB"
