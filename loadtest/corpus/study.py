"""Declares `logsieve loadtest corpus`: its options, results and goals. Needs no stack."""

import random
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.chart import Axis, lines
from loadtest.report.report import Part, Picture, Report, Row, Table
from loadtest.study import Study

_REAL: Final = "real lines"
_MADE_UP: Final = "lines"
_CHARACTERS: Final = 8 * 2**20


class Likeness(Part):
    """Properties of a text that decide how well an index works on it.

    `compression` is the ratio of raw bytes to bytes compressed by ZSTD(1) in blocks of 1 MiB.
    """

    bytes: int = 0
    compression: float
    distinct_terms_per_mb: float
    curve: tuple[tuple[int, float], ...] = ()
    """Pairs of a term's rank, from 1 for the most frequent term, and its share of all occurrences (0 to 1)."""


class CorpusReport(Report):
    texts: dict[str, Likeness]
    """Results by kind of text, such as `4 KiB messages`. Real lines are included if the study was given some."""

    def extent(self) -> dict[str, float]:
        return dict.fromkeys(self.texts, 1)

    def headline(self) -> tuple[Row, ...]:
        made_up, real = self.texts[_MADE_UP], self.texts.get(_REAL)
        if real is None:
            return (Row("distinct terms a MiB of made-up lines", f"{made_up.distinct_terms_per_mb:,.0f}"),)
        terms = made_up.distinct_terms_per_mb / real.distinct_terms_per_mb
        return (
            Row("distinct terms a MiB, made-up lines over real ones", f"{terms:.2f}"),
            Row("compression, made-up lines over real ones", f"{made_up.compression / real.compression:.2f}"),
        )

    def tables(self) -> tuple[Table, ...]:
        rows = tuple(
            (name, f"{each.bytes / 2**20:.1f}", f"{each.compression:.2f}", f"{each.distinct_terms_per_mb:,.0f}")
            for name, each in self.texts.items()
        )
        head = ("text", "MiB", "compression, ZSTD(1) in 1 MiB blocks", "distinct terms a MiB")
        return (Table("Real lines and made-up text", head, rows),)

    def pictures(self) -> tuple[Picture, ...]:
        title = "Frequency of the term of each rank"
        share = Axis("share of all terms, %", logarithmic=True)
        curves = {name: [(rank, part * 100) for rank, part in each.curve] for name, each in self.texts.items()}
        draw = partial(lines, title=title, x=Axis("rank", logarithmic=True), y=share, series=curves)
        return (Picture("corpus.svg", title, draw),)


def run(
    bench: Bench,
    real: Annotated[Path | None, typer.Option(help="Folder of *.log files to compare with.")] = None,
) -> CorpusReport:
    """Compare the generated text of load tests with real log lines: compression, distinct terms, frequency of terms."""
    from loadtest.corpus.dictionary import shipped
    from loadtest.corpus.likeness import made_up, measure

    measured = {}
    if real is not None:
        bench.say("counting")
        files = sorted(real.glob("*.log"))
        lines = [line for file in files for line in file.read_text(errors="replace").splitlines()]
        # The systems' lines are mixed, as if all systems logged at once.
        random.Random(bench.seed).shuffle(lines)
        measured[_REAL] = measure(lines)
    for name, size in ((_MADE_UP, None), ("1 KiB messages", 1024), ("4 KiB messages", 4096)):
        bench.say(f"making {name}")
        measured[name] = measure(made_up(shipped(), bench.seed, size, _CHARACTERS))
    return CorpusReport(texts=measured)


STUDY: Final = Study("corpus", "The corpus", CorpusReport, run, smoke=())
