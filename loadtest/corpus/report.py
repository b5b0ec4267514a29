"""How like real lines the corpus is, as a page with a picture."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from loadtest.chart import Axis, lines
from loadtest.corpus.likeness import Likeness

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

| text | MiB | compression, ZSTD(1) in 1 MiB blocks | distinct terms a MiB |
| --- | ---: | ---: | ---: |
{rows}

![How often the term of each rank comes](corpus.svg)

Real lines are compared shuffled, as they come when ten systems log at once. The frequency curve and the distinct terms,
which decide what an index skips and how large it is, are close to those of real lines. Made-up text compresses less:
real timestamps and ids follow from the line before, ours are drawn independently.
"""


def as_plain(measured: Mapping[str, Likeness]) -> dict[str, Any]:
    """For `--json`."""
    return {
        name: {
            "bytes": each.bytes,
            "compression": each.compression,
            "distinct_terms_per_mb": each.distinct_terms_per_mb,
            "curve": each.curve,
        }
        for name, each in measured.items()
    }


def write_page(measured: Mapping[str, Likeness], command: str, folder: Path) -> None:
    """`corpus.md` and its picture; `measured` by what the text is, real lines among them where they were given."""
    lines(
        folder / "corpus.svg",
        "How often the term of each rank comes",
        Axis("rank", logarithmic=True),
        Axis("share of all terms, %", logarithmic=True),
        {name: [(rank, share * 100) for rank, share in each.curve] for name, each in measured.items()},
    )
    rows = [
        f"| {name} | {each.bytes / 2**20:.1f} | {each.compression:.2f} | {each.distinct_terms_per_mb:,.0f} |"
        for name, each in measured.items()
    ]
    (folder / "corpus.md").write_text(_PAGE.format(command=command, rows="\n".join(rows)))
