"""Report of the corpus study: how much made-up text is like real lines."""

from functools import partial
from typing import Final

from loadtest.chart import Axis, lines
from loadtest.report.report import Part, Picture, Report, Row, Table

REAL: Final = "real lines"
MADE_UP: Final = "lines"


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

    def headline(self) -> tuple[Row, ...]:
        made_up, real = self.texts[MADE_UP], self.texts.get(REAL)
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
        title = "How often the term of each rank comes"
        share = Axis("share of all terms, %", logarithmic=True)
        curves = {name: [(rank, part * 100) for rank, part in each.curve] for name, each in self.texts.items()}
        draw = partial(lines, title=title, x=Axis("rank", logarithmic=True), y=share, series=curves)
        return (Picture("corpus.svg", title, draw),)
