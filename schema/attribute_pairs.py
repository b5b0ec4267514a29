"""Defines the index on attribute values: the texts that it has of a record, and the text that finds a value.

A bare field name means the log's attribute, or the resource's attribute of that name if the log has none
(docs/query-language.md). The index has one text for each of these values: name, NUL byte, value. It alone answers a
search for a value, so that no map is read (docs/decisions/0049-attribute-values-are-indexed-in-pairs.md).
"""

from typing import Final

MAX_PAIR_BYTES: Final = 256
"""Largest length of an indexed text, in bytes. Longer values are not in the index, because they would double its size,
and nobody searches for such a value as a whole."""

_SEPARATOR: Final = "\0"
_MERGED: Final = "mapUpdate(resource, attributes)"

PAIRS: Final = (
    f"arrayFilter(pair -> length(pair) <= {MAX_PAIR_BYTES}, "
    f"arrayMap((name, value) -> concat(name, '\\0', value), mapKeys({_MERGED}), mapValues({_MERGED})))"
)
"""SQL expression of the indexed texts of a row, an Array(String)."""


def pair(name: str, value: str) -> str | None:
    """Returns the text that the index has for an attribute with this value.

    Returns None if the index cannot answer: the text is too long, or a NUL byte in it makes the border between name and
    value ambiguous.
    """
    if _SEPARATOR in name or _SEPARATOR in value:
        return None
    text = f"{name}{_SEPARATOR}{value}"
    return text if len(text.encode()) <= MAX_PAIR_BYTES else None
