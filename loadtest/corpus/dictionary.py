"""Counts of real log lines: terms, what they stand between, how often they come. Never the lines themselves.

`loghub_terms.json.xz` was counted from loghub by `logsieve loadtest corpus --count`; LOGHUB-NOTICE says whose they are.
"""

import lzma
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from kit.errors import InvalidRequest
from loadtest.corpus.terms import mask, runs, split

SHIPPED: Final = Path(__file__).with_name("loghub_terms.json.xz")
_REPEATED: Final = 3
"""A term that comes less often stands for others like it: only its mask is kept."""


class Changing(BaseModel):
    """A slot whose term changes from line to line: its mask, and how many distinct terms were seen in it."""

    model_config = ConfigDict(frozen=True)

    mask: str
    seen: int


class Shape(BaseModel):
    """Lines that differ in their terms only.

    `separators` has one more entry than `slots`. A slot that is a number is the length of a word, which is always the
    same one in the lines of a program's statement. `fillings` counts the distinct words seen in those slots, together.
    """

    model_config = ConfigDict(frozen=True)

    separators: tuple[str, ...]
    slots: tuple[int | Changing, ...]
    lines: int
    fillings: int


class Collection(BaseModel):
    """Counts of one system's lines: terms with their frequency, highest first, and masks of the rarest terms."""

    model_config = ConfigDict(frozen=True)

    system: str
    lines: int
    bytes: int
    terms: dict[str, int]
    unrepeated: dict[str, int]
    shapes: tuple[Shape, ...]


class Dictionary(BaseModel):
    """Counts of several systems' lines, and whose lines they were."""

    model_config = ConfigDict(frozen=True)

    attribution: str
    collections: tuple[Collection, ...]


def shipped() -> Dictionary:
    """Reads the dictionary that comes with Logsieve."""
    return Dictionary.model_validate_json(lzma.decompress(SHIPPED.read_bytes()))


def count_folder(folder: Path, attribution: str) -> Dictionary:
    """Counts a folder of lines, one collection for each `*.log` file. Raises InvalidRequest when there is none."""
    files = sorted(folder.glob("*.log"))
    if not files:
        raise InvalidRequest(f"{folder} has no *.log files")
    collections = (
        count(file.stem.removesuffix("_2k"), file.read_text(errors="replace").splitlines()) for file in files
    )
    return Dictionary(attribution=attribution, collections=tuple(collections))


def write_dictionary(dictionary: Dictionary, file: Path) -> None:
    """Writes compressed JSON; the same dictionary gives the same bytes."""
    file.write_bytes(lzma.compress(dictionary.model_dump_json().encode(), preset=9))


def count(system: str, lines: Iterable[str]) -> Collection:
    """Counts some lines; lines with other than ASCII characters are passed over."""
    kept = [line for line in lines if line.isascii() and line]
    seen = Counter(run for line in kept for run in runs(line))
    whole = {run for run, times in seen.items() if times >= _REPEATED}
    terms = Counter(term for line in kept for term in split(line, whole)[0])
    shapes: dict[tuple[tuple[str, ...], tuple[int | str, ...]], list[list[str]]] = {}
    for line in kept:
        found, separators = split(line, whole)
        slots = tuple(len(term) if _is_word(term, terms) else mask(term) for term in found)
        shapes.setdefault((tuple(separators), slots), []).append(found)
    unrepeated: Counter[str] = Counter()
    for term, times in terms.items():
        if times < _REPEATED:
            unrepeated[mask(term)] += times
    return Collection(
        system=system,
        lines=len(kept),
        bytes=sum(len(line) + 1 for line in kept),
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


def _is_word(term: str, terms: Counter[str]) -> bool:
    return term.isalpha() and terms[term] >= _REPEATED
