"""`logsieve loadtest corpus`: needs no stack."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.table import Table

from stack.cli.console import errors, output
from stack.cli.loadtest_origin import as_asked
from stack.cli.loadtest_result import AsJson, Write, finish
from stack.cli.loadtest_stack import Seed

if TYPE_CHECKING:
    from loadtest.corpus.likeness import Likeness

_CHARACTERS: Final = 8 * 2**20


def corpus(
    real: Annotated[Path | None, typer.Option(help="A folder of *.log files to compare with.")] = None,
    count: Annotated[Path | None, typer.Option(help="Count the folder into this dictionary file, and use it.")] = None,
    attribution: Annotated[str, typer.Option(help="Whose lines those are; goes into the dictionary.")] = "",
    write: Write = None,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Compare the made-up text of load tests with real lines: compression, distinct terms, how often each comes."""
    from loadtest.corpus.count_lines import count_folder, write_dictionary
    from loadtest.corpus.dictionary import shipped
    from loadtest.corpus.likeness import made_up, measure, shuffled
    from loadtest.corpus.report import as_plain, write_page

    if count is not None and (real is None or not attribution):
        raise typer.BadParameter("--count needs --real and --attribution")
    measured = {}
    with errors().status("counting") as spinner:
        dictionary = shipped()
        if real is not None:
            if count is not None:
                dictionary = count_folder(real, attribution)
                write_dictionary(dictionary, count)
            files = sorted(real.glob("*.log"))
            lines = [line for file in files for line in file.read_text(errors="replace").splitlines()]
            measured["real lines"] = measure(shuffled(lines, seed))
        for name, size in (("lines", None), ("1 KiB messages", 1024), ("4 KiB messages", 4096)):
            spinner.update(f"making {name}")
            measured[name] = measure(made_up(dictionary, seed, size, _CHARACTERS))
    if write is not None:
        write_page(measured, as_asked(), write)
    if not as_json:
        output().print(_table(measured))
    finish("corpus", {"passed": True, "texts": as_plain(measured)}, as_json, write)


def _table(measured: "Mapping[str, Likeness]") -> Table:
    table = Table("text", "MiB", "compression", "distinct terms a MiB", box=None, pad_edge=False)
    for name, each in measured.items():
        row = (f"{each.bytes / 2**20:.1f}", f"{each.compression:.2f}", f"{each.distinct_terms_per_mb:,.0f}")
        table.add_row(name, *row)
    return table
