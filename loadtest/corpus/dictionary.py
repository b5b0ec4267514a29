"""Counts the terms of real log lines, the separators between them, and their frequency. Keeps none of the lines.

`logsieve loadtest corpus --count` made `loghub_terms.json.xz` from the lines of loghub. LOGHUB-NOTICE names their
authors.
"""

import lzma
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from kit.errors import InvalidRequest
from loadtest.corpus.terms import mask, runs, split

SHIPPED: Final = Path(__file__).with_name("loghub_terms.json.xz")
_REPEATED: Final = 3
"""Fewest occurrences of a term that is kept. Of a rarer term, only the mask is kept."""


class Changing(BaseModel, frozen=True):
    """A slot whose term changes from line to line: the term's mask, and the number of distinct terms seen in it."""

    mask: str
    seen: int


class Shape(BaseModel, frozen=True):
    """Lines that have the same separators, and differ only in their terms.

    `separators` has one more entry than `slots`. A slot that is a number holds a word of that length, which is the same
    in all lines that one statement of a program logs. `fillings` counts the distinct combinations of these words.
    `lines` counts the lines of this shape.
    """

    separators: tuple[str, ...]
    slots: tuple[int | Changing, ...]
    lines: int
    fillings: int


class Collection(BaseModel, frozen=True):
    """Counts of one system's lines.

    `terms` has the number of occurrences of each term, the most frequent first. `unrepeated` has those of the rarest
    terms, by mask.
    """

    system: str
    terms: dict[str, int]
    unrepeated: dict[str, int]
    shapes: tuple[Shape, ...]


class Dictionary(BaseModel, frozen=True):
    """Counts of the lines of several systems. `attribution` names the authors of the lines."""

    attribution: str
    collections: tuple[Collection, ...]


def shipped() -> Dictionary:
    """Returns the dictionary that is part of Logsieve."""
    return Dictionary.model_validate_json(lzma.decompress(SHIPPED.read_bytes()))


def count_folder(folder: Path, attribution: str) -> Dictionary:
    """Counts the lines of a folder, one collection for each `*.log` file. Raises InvalidRequest if it has none."""
    files = sorted(folder.glob("*.log"))
    if not files:
        raise InvalidRequest(f"{folder} has no *.log files")
    collections = (
        count(file.stem.removesuffix("_2k"), file.read_text(errors="replace").splitlines()) for file in files
    )
    return Dictionary(attribution=attribution, collections=tuple(collections))


def write_dictionary(dictionary: Dictionary, file: Path) -> None:
    """Writes the dictionary as compressed JSON. Equal dictionaries give equal bytes."""
    file.write_bytes(lzma.compress(dictionary.model_dump_json().encode(), preset=9))


def count(system: str, lines: Iterable[str]) -> Collection:
    """Counts the lines of one system. Skips empty lines and lines with characters other than ASCII."""
    kept = [line for line in lines if line.isascii() and line]
    seen = Counter(run for line in kept for run in runs(line))
    whole = {run for run, times in seen.items() if times >= _REPEATED}
    terms = Counter(term for line in kept for term in split(line, whole)[0])
    shapes: dict[tuple[tuple[str, ...], tuple[int | str, ...]], list[list[str]]] = {}
    for line in kept:
        found, separators = split(line, whole)
        slots = tuple(len(each) if each.isalpha() and terms[each] >= _REPEATED else mask(each) for each in found)
        shapes.setdefault((tuple(separators), slots), []).append(found)
    unrepeated = Counter(mask(term) for term in terms.elements() if terms[term] < _REPEATED)
    return Collection(
        system=system,
        terms={term: times for term, times in terms.most_common() if times >= _REPEATED},
        unrepeated=dict(unrepeated.most_common()),
        shapes=tuple(
            _shape(separators, slots, seen)
            for (separators, slots), seen in sorted(shapes.items(), key=lambda item: (-len(item[1]), str(item[0])))
        ),
    )


def _shape(separators: tuple[str, ...], slots: tuple[int | str, ...], seen: Sequence[list[str]]) -> Shape:
    words = {tuple(term for term, slot in zip(found, slots, strict=True) if isinstance(slot, int)) for found in seen}
    changing = [
        slot if isinstance(slot, int) else Changing(mask=slot, seen=len({found[place] for found in seen}))
        for place, slot in enumerate(slots)
    ]
    return Shape(separators=separators, slots=tuple(changing), lines=len(seen), fillings=len(words))
