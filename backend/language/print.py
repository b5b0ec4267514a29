"""Prints a tree as canonical query text: `parse(print_query(node)) == node` for every node that the parser can give."""

import re
from enum import IntEnum
from itertools import groupby

from backend.language.escapes import quoted, slashes_escaped, with_stars
from backend.language.fields import BODY, Field, field_name, is_plain_name
from backend.language.nodes import (
    And,
    Bound,
    Compare,
    Equals,
    Exists,
    Glob,
    Leaf,
    MatchAll,
    Node,
    Not,
    Or,
    Range,
    Regex,
    Substring,
    Words,
)
from backend.language.numbers import is_number

_PLAIN_VALUE = re.compile("(?!-|//)[A-Za-z0-9_.:/@+%,#&\x80-\U0010ffff-]+")
_PLAIN_BOUND = re.compile("[A-Za-z0-9_.:/@+%,#&\x80-\U0010ffff-]+")
_KEYWORDS = frozenset({"AND", "OR", "NOT"})
_STARTS_OTHER_FORMS = frozenset("-~<>[{=!")
"""First characters of a value that are escaped, because they may start another form. `//` is escaped too, because
`name://` is read as the words of a URL."""


class _Binds(IntEnum):
    """Binding strength of a place in the text. A node that binds more loosely needs parentheses there."""

    alternatives = 0
    juxtaposed = 1
    one = 2


def print_query(node: Node) -> str:
    """Returns the query in canonical form: one space between terms, `-` for NOT, parentheses only where needed.

    Neighbours on the same field share a group: `a:1 OR a:2` prints as `a:(1 OR 2)`.
    """
    return _print(node, _Binds.alternatives, grouped=False)


def _print(node: Node, place: _Binds, *, grouped: bool) -> str:
    if isinstance(node, Not):
        return "-" + _print(node.operand, _Binds.one, grouped=grouped)
    if not isinstance(node, And | Or):
        return _value(node, grouped=True) if grouped else _leaf(node)
    own = _Binds.alternatives if isinstance(node, Or) else _Binds.juxtaposed
    glue = " OR " if isinstance(node, Or) else " "
    inner = _Binds(own + 1)
    parts: list[str] = []
    for field, neighbours in groupby(node.operands, key=lambda operand: None if grouped else _common_field(operand)):
        run = list(neighbours)
        if field is None or len(run) == 1:
            parts += [_print(operand, inner, grouped=grouped) for operand in run]
        else:
            values = glue.join([_print(operand, inner, grouped=True) for operand in run])
            parts.append(f"{print_field(field)}:({values})")
    text = glue.join(parts)
    return f"({text})" if len(parts) > 1 and own < place else text


def _common_field(node: Node) -> Field | None:
    """Returns the one field of all leaves.

    Returns None where they differ, and for the body, which is written without a name.
    """
    match node:
        case Not(operand):
            return _common_field(operand)
        case And(operands) | Or(operands):
            fields = {_common_field(operand) for operand in operands}
            return fields.pop() if len(fields) == 1 else None
        case MatchAll() | Regex():
            return None
        case _:
            return None if node.field == BODY else node.field


def _leaf(node: Leaf) -> str:
    match node:
        case MatchAll():
            return "*"
        case Regex(pattern):
            return slashes_escaped(pattern)
        case Words() | Substring() if node.field == BODY:
            return _text(node)
        case _:
            return f"{print_field(node.field)}:{_value(node, grouped=False)}"


def _value(node: Leaf, *, grouped: bool) -> str:
    """Returns the text after a field's colon; `grouped` inside the parentheses of a group."""
    match node:
        case Exists():
            return "*"
        case Equals(_, value):
            return value if not grouped and is_number(value) else _operand(value, _PLAIN_VALUE)
        case Glob(_, pieces):
            text = with_stars(pieces)
            return f"\\{text}" if text[0] in _STARTS_OTHER_FORMS or text.startswith("//") else text
        case Compare(_, comparator, operand):
            return comparator.value + _operand(operand, _PLAIN_BOUND)
        case Range(_, low, high):
            opening = "[" if low is None or low.inclusive else "{"
            closing = "]" if high is None or high.inclusive else "}"
            return f"{opening}{_bound(low)} TO {_bound(high)}{closing}"
        case Words() | Substring():
            return "~" + _text(node)
        case MatchAll() | Regex():
            raise AssertionError("has no field")


def _text(node: Words | Substring) -> str:
    if isinstance(node, Substring):
        return with_stars(("", node.text, ""))
    if all(word.is_literal for word in node.words):
        text = " ".join(word.pieces[0] for word in node.words)
        return text if len(node.words) == 1 else quoted(text)
    text = "-".join("*".join(word.pieces) for word in node.words)
    # `*a-b*` alone would be read as a substring. A further separator makes it a term of words.
    return f"{text}-" if text.startswith("*") and text.endswith("*") and "*" not in text[1:-1] else text


def _bound(bound: Bound | None) -> str:
    return "*" if bound is None else _operand(bound.operand, _PLAIN_BOUND)


def _operand(text: str, plain: re.Pattern[str]) -> str:
    return text if plain.fullmatch(text) and text not in _KEYWORDS else quoted(text)


def print_field(field: Field) -> str:
    """Returns the field's name, in quotes where it needs them."""
    name = field_name(field)
    return name if is_plain_name(name) else quoted(name)
