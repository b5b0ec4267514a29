"""Makes queries from a record's values. They match the record, or almost match it."""

from collections.abc import Iterator

import re2

from backend.language.fields import BODY, BUILT_IN, Field, Kind, Source
from backend.language.nodes import (
    Bound,
    Comparator,
    Compare,
    Equals,
    Exists,
    Glob,
    Leaf,
    Range,
    Regex,
    Substring,
    WordPattern,
    Words,
)
from backend.language.words import fold_case, words
from tests.search.records import Record

LONGEST = 40
"""Largest number of characters of a text from which queries are made."""


def aimed_at(record: Record) -> Iterator[Leaf]:
    """Yields terms of every kind about every text of the record."""
    yield from _about_text(BODY, record.body[:LONGEST])
    for piece in _pieces(record.body[:LONGEST]):
        yield Regex(re2.escape(piece))
        yield Regex(re2.escape(piece.swapcase()))
        yield Regex(f"(?:{re2.escape(piece)}| {re2.escape(piece[::-1])} )")
        if "\n" in piece:
            yield Regex(".".join(re2.escape(line) for line in piece.split("\n")))
    yield Regex("^" + "." * len(record.body[:LONGEST]))
    for word in (word for word in words(record.body[:LONGEST]) if len(word) > 1):
        yield from (Substring(word[1:]), Substring(word[:-1]))
    for field, value in _values(record):
        yield from _about_text(field, value)
        yield from _about_value(field, value)
    for name, kind in BUILT_IN.items():
        if kind is Kind.hex_id:
            yield from _about_id(Field(Source.record, name), getattr(record, name))
        elif kind is Kind.number:
            yield from _about_number(Field(Source.record, name), getattr(record, name))
    yield from _about_number(Field(Source.record, "severity"), record.severity_number)


def _values(record: Record) -> Iterator[tuple[Field, str]]:
    """Yields text fields with their values. Skips attribute values with NUL, which a query cannot contain."""
    for name in (name for name, kind in BUILT_IN.items() if kind is Kind.text):
        yield Field(Source.record, name), getattr(record, name.replace(".", "_"))
    for own, values in ((Source.attributes, record.attributes), (Source.resource, record.resource)):
        for name, value in values.items():
            if "\0" not in value:
                yield Field(own, name), value
                yield Field(Source.either, name), value


def _pieces(text: str) -> list[str]:
    middle = len(text) // 2
    return [piece for piece in (text[:middle], text[middle:], text[1:-1]) if piece and "\0" not in piece]


def _about_text(field: Field, text: str) -> Iterator[Leaf]:
    for piece in _pieces(text):
        yield Substring(fold_case(piece), field)
        yield Substring(fold_case(piece.swapcase()), field)
        found = words(piece)[:3]
        if found:
            first, last = found[0], found[-1]
            yield Words(tuple(WordPattern((word,)) for word in found), field)
            yield Words((WordPattern((first,)),), field)
            yield Words((WordPattern((first[0], "")),), field)
            yield Words((WordPattern(("", last[-1])),), field)
            yield Words((WordPattern(("", "")), WordPattern((last,))), field)


def _about_id(field: Field, value: str) -> Iterator[Leaf]:
    """Yields terms about an id. Some match ids that begin with zeros, because an absent id is stored as zeros."""
    yield Exists(field)
    yield Glob(field, ("0", ""))
    if value:
        yield Equals(field, value)
        yield from (Glob(field, (value[:digits], "")) for digits in (1, len(value) // 2, len(value)))


def _about_number(field: Field, value: int) -> Iterator[Leaf]:
    number = str(value)
    yield Exists(field)
    yield Equals(field, number)
    yield from (Compare(field, comparator, number) for comparator in Comparator)
    yield Range(field, Bound(number, inclusive=True), Bound(number, inclusive=True))


def _about_value(field: Field, value: str) -> Iterator[Leaf]:
    if "\0" in value:
        return
    yield Equals(field, value)
    yield from (Compare(field, comparator, value) for comparator in Comparator)
    yield Range(field, Bound(value, inclusive=True), Bound(value, inclusive=False))
    yield Range(field, Bound(value, inclusive=True), Bound(value, inclusive=True))
    for piece in _pieces(value):
        yield Glob(field, (piece, ""))
        yield Glob(field, ("", piece))
        yield Glob(field, ("", piece, piece))
        yield Glob(field, (piece[:-1] + "_", ""))
        yield Glob(field, ("%", piece[1:]))
