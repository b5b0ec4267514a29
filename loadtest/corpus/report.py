"""Likeness of the corpus to real lines: the report, and its page with a picture."""

from pathlib import Path
from typing import Final

from loadtest.chart import Axis, lines
from loadtest.report.markdown import markdown_table
from loadtest.report.report import Part, Report, Row

REAL: Final = "real lines"
MADE_UP: Final = "lines"

_PAGE: Final = """\
# The corpus

Written by `{command}`.

Load tests need more text than can be shipped, and text that is random letters decides nothing: an index depends on how
many words there are and how often each comes. So what is known of real lines, ten systems of
[loghub](https://github.com/logpai/loghub), was counted into a dictionary (`loadtest/corpus/`):

- terms by how often they come, a run with digits such as a date or an id as one term;
- shapes of lines: what stands between the terms, the lengths of the words that never change there, and masks of the
  terms that do, with how many distinct ones there were;
- for terms that came once or twice nothing but their mask, such as `9999` or `xxxxxxxxxxxxxxxx`.

A statement is a shape whose words were drawn once by weight; a line is a statement whose changing terms are drawn anew,
from a few of its own where the real ones repeated themselves. A message is a line, and what it is extended with up to
its length follows from a hash of that line. No real line is shipped.

{table}

![How often the term of each rank comes](corpus.svg)

Real lines are compared shuffled, as they come when ten systems log at once. The frequency curve and the distinct terms,
which decide what an index skips and how large it is, are close to those of real lines. Made-up text compresses less:
real timestamps and ids follow from the line before, ours are drawn independently.
"""


class Likeness(Part):
    """Properties of a text that decide how well an index works on it.

    `compression` is that of ZSTD(1) in blocks of 1 MiB.
    """

    bytes: int = 0
    compression: float
    distinct_terms_per_mb: float
    curve: tuple[tuple[int, float], ...] = ()
    """(rank, share of all terms) from the most frequent term on."""


class CorpusReport(Report):
    texts: dict[str, Likeness]
    """By what the text is; real lines are among them where they were given."""

    def headline(self) -> tuple[Row, ...]:
        made_up, real = self.texts[MADE_UP], self.texts.get(REAL)
        if real is None:
            return (Row("distinct terms a MiB of made-up lines", f"{made_up.distinct_terms_per_mb:,.0f}"),)
        terms = made_up.distinct_terms_per_mb / real.distinct_terms_per_mb
        return (
            Row("distinct terms a MiB, made-up lines over real ones", f"{terms:.2f}"),
            Row("compression, made-up lines over real ones", f"{made_up.compression / real.compression:.2f}"),
        )


def write_page(report: CorpusReport, command: str, _machine: str, folder: Path) -> None:
    """Writes `corpus.md` and its picture. Raises InvalidRequest without matplotlib."""
    lines(
        folder / "corpus.svg",
        "How often the term of each rank comes",
        Axis("rank", logarithmic=True),
        Axis("share of all terms, %", logarithmic=True),
        {name: [(rank, share * 100) for rank, share in each.curve] for name, each in report.texts.items()},
    )
    table = markdown_table(
        ("text", "MiB", "compression, ZSTD(1) in 1 MiB blocks", "distinct terms a MiB"),
        [
            (name, f"{each.bytes / 2**20:.1f}", f"{each.compression:.2f}", f"{each.distinct_terms_per_mb:,.0f}")
            for name, each in report.texts.items()
        ],
    )
    (folder / "corpus.md").write_text(_PAGE.format(command=command, table=table))
