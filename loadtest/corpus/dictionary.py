"""Reads the dictionary: the terms of real log lines, the separators between them, and their frequency, but no line.

`loghub_terms.json.xz` was counted from the ASCII lines of ten `*_2k.log` files of loghub. Commit c2cb5ff5 of this
repository added the file, and has the program that counted the lines. LOGHUB-NOTICE names their authors.
"""

import lzma
from pathlib import Path
from typing import Final

from pydantic import BaseModel

SHIPPED: Final = Path(__file__).with_name("loghub_terms.json.xz")


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

    `terms` has the number of occurrences of each term that occurs at least three times, the most frequent first.
    `unrepeated` has the number of occurrences of all rarer terms, by mask.
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
