"""Measures how much made-up text is like real lines: compression, number of terms, and frequency of each term."""

import random
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Final

from loadtest.corpus.dictionary import Dictionary
from loadtest.corpus.study import Likeness
from loadtest.corpus.terms import TERM
from loadtest.corpus.text import TextSource

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_BLOCK: Final = 2**20
"""Bytes that are compressed together, uncompressed. ClickHouse compresses a column in blocks of up to 1 MiB."""
_RANKS: Final = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1_000, 2_000, 3_000, 5_000, 10_000)


def measure(lines: Sequence[str]) -> Likeness:
    """Measures lines in the order in which they would be stored.

    With fewer than 1 MiB of lines, the number of distinct terms per MiB is not meaningful.
    """
    text = "\n".join(lines).encode()
    blocks = [text[start : start + _BLOCK] for start in range(0, len(text), _BLOCK)]
    terms = Counter(term.lower() for line in lines for term in TERM.findall(line))
    ranked, total = [times for _, times in terms.most_common()], terms.total()
    per_mb = [len({term.lower() for term in TERM.findall(block.decode(errors="replace"))}) for block in blocks]
    whole = per_mb[: max(1, len(text) // _BLOCK)]
    return Likeness(
        bytes=len(text),
        compression=len(text) / sum(len(zstd.compress(block, 1)) for block in blocks),
        distinct_terms_per_mb=sum(whole) / len(whole),
        curve=tuple((rank, ranked[rank - 1] / total) for rank in _RANKS if rank <= len(ranked)),
    )


def made_up(dictionary: Dictionary, seed: int, size: int | None, characters: int) -> list[str]:
    """Makes up texts of randomly chosen systems until they have `characters` characters in all.

    Each text is a message of exactly `size` characters, or a single line if `size` is None.
    """
    rng = random.Random(seed)
    sources = [TextSource(collection, seed) for collection in dictionary.collections]
    texts: list[str] = []
    while characters > 0:
        source = rng.choice(sources)
        texts.append(source.lines(rng, 1)[0] if size is None else source.message(rng, size))
        characters -= len(texts[-1]) + 1
    return texts
