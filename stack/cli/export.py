"""`logsieve logs export`."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, BinaryIO, Literal

import typer

from kit.errors import Conflict
from stack.cli.console import errors
from stack.cli.query_options import Key, Order, QueryText, Since, Until, Url, api_client, time_range


def export(
    query: QueryText = "",
    since: Since = "1h",
    until: Until = None,
    order: Order = "desc",
    format: Annotated[
        Literal["ndjson", "csv"], typer.Option(help="Format: one JSON object a line, or CSV.")
    ] = "ndjson",
    columns: Annotated[
        str | None,
        typer.Option(help="Columns of a CSV file, separated by commas, such as timestamp,service,body,user.id."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="File to write; standard output when left out.", dir_okay=False)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file that --output names.")] = False,
    url: Url = None,
    key: Key = None,
) -> None:
    """Write every matching log to standard output, or to the file of --output, whose name ends in .part until it is
    complete."""
    from stack.client.log_export import Export, export_logs
    from stack.terminal_export import terminal_pieces

    start, end = time_range(since, until)
    if output is not None:
        _require_free(output, force)
    with api_client(query, url, key) as client:
        pieces = export_logs(client, Export(query, start, end, order, format, columns))
        try:
            if output is not None:
                _save(pieces, output, force)
            elif sys.stdout.isatty():
                _write(terminal_pieces(pieces, format), sys.stdout.buffer)
            else:
                _write(pieces, sys.stdout.buffer)
        except BrokenPipeError as closed:
            # The program that reads our output, such as `head`, has closed the pipe. Python must not try to flush the
            # rest.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(1) from closed


def _require_free(output: Path, force: bool) -> None:
    """Raises Conflict if the file exists and `force` is false."""
    if output.exists() and not force:
        raise Conflict(f"{output} exists: name another file, or give --force to replace it")


def _save(pieces: Iterator[bytes], output: Path, force: bool) -> None:
    unfinished = output.with_name(f"{output.name}.part")
    try:
        with unfinished.open("wb") as file:
            written = _write(pieces, file)
        _require_free(output, force)
        unfinished.replace(output)
    except OSError as error:
        errors().print(f"cannot write {unfinished}: {error.strerror}", style="red", highlight=False)
        _say_what_is_left(unfinished, output)
        raise typer.Exit(1) from error
    except BaseException:
        _say_what_is_left(unfinished, output)
        raise
    errors().print(f"{_megabytes(written)} written to {output}", highlight=False)


def _say_what_is_left(unfinished: Path, output: Path) -> None:
    """Prints the path of a failed export's partial file, and removes the file if it is empty."""
    try:
        size = unfinished.stat().st_size
        if size == 0:
            unfinished.unlink()
    except OSError:
        size = 0
    left = f"the {size:,} bytes before the failure are in {unfinished}" if size else "no record came before the failure"
    errors().print(f"{output} was not written: {left}", highlight=False)


def _write(pieces: Iterator[bytes], file: BinaryIO) -> int:
    """Writes all pieces and returns their number of bytes. Shows the bytes written so far on a terminal."""
    written = 0
    # A status line would disturb the logs if both are printed on the same terminal.
    progress = errors(quiet=file.isatty())
    with progress.status("exporting") as status:
        for piece in pieces:
            file.write(piece)
            written += len(piece)
            status.update(f"exporting, {_megabytes(written)}")
    file.flush()
    return written


def _megabytes(count: int) -> str:
    return f"{count / 1e6:.1f} MB"
