"""Finds fields that are written with an equals sign, such as `service=cart`. In this query language, `service` and
`cart` are then words of the body."""

import re
from collections.abc import Container
from typing import Final

from backend.fields.likely_names import OTHER_NAMES
from backend.language.fields import BUILT_IN

# A match begins only where a term begins. Otherwise the search would read a name of many `-` again from each `-`.
_EQUALS: Final = re.compile(r'(?<![^\s(])(-?)([^\s"()|/:=-][^\s"()|/:=]*)==?("[^"]*"|[^\s"()=]+)(?![^\s)])')


def has_equals_signs(text: str) -> bool:
    """Returns true if the text has a name, an equals sign and a value, and no other quoted text."""
    return _EQUALS.search(text) is not None and '"' not in _EQUALS.sub("", text)


def with_colons(text: str, known: Container[str]) -> str | None:
    """Returns the text with a colon instead of each equals sign that follows the name of a field, or None if none does.

    `known` holds the names of fields that records have.
    """
    if not has_equals_signs(text):
        return None

    def meant(found: re.Match[str]) -> str:
        minus, written, value = found.groups()
        name = written if written in known else OTHER_NAMES.get(written.lower(), written)
        return f"{minus}{name}:{value}" if name in known or name in BUILT_IN else found[0]

    changed = _EQUALS.sub(meant, text)
    return None if changed == text else changed
