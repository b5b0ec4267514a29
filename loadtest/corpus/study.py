"""Declares `logsieve loadtest corpus`, which needs no stack."""

from pathlib import Path
from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.corpus.report import REAL, CorpusReport
from loadtest.study import Study

_CHARACTERS: Final = 8 * 2**20


def run(
    bench: Bench,
    real: Annotated[Path | None, typer.Option(help="Folder of *.log files to compare with.")] = None,
    count: Annotated[
        Path | None, typer.Option(help="Write the terms of the folder into this dictionary file, and use it.")
    ] = None,
    attribution: Annotated[str, typer.Option(help="Author of the lines in --real, written into the dictionary.")] = "",
) -> CorpusReport:
    """Compare the generated text of load tests with real log lines: compression, distinct terms, frequency of terms."""
    from loadtest.corpus.dictionary import count_folder, shipped, write_dictionary
    from loadtest.corpus.likeness import made_up, measure, shuffled

    if count is not None and (real is None or not attribution):
        raise typer.BadParameter("--count needs --real and --attribution")
    measured, dictionary = {}, shipped()
    if real is not None:
        bench.say("counting")
        if count is not None:
            dictionary = count_folder(real, attribution)
            write_dictionary(dictionary, count)
        files = sorted(real.glob("*.log"))
        lines = [line for file in files for line in file.read_text(errors="replace").splitlines()]
        measured[REAL] = measure(shuffled(lines, bench.seed))
    for name, size in (("lines", None), ("1 KiB messages", 1024), ("4 KiB messages", 4096)):
        bench.say(f"making {name}")
        measured[name] = measure(made_up(dictionary, bench.seed, size, _CHARACTERS))
    return CorpusReport(texts=measured)


STUDY: Final = Study("corpus", "The corpus", CorpusReport, run, smoke=())
