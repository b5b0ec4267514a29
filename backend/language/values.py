"""Builds the nodes of field values.

Raises InvalidQuery at the value's position for a form that the field does not take.
"""

from backend.language.escapes import split_stars
from backend.language.fields import HEX_DIGITS, Field, Kind
from backend.language.limits import check_pieces
from backend.language.nodes import Bound, Comparator, Compare, Equals, Exists, Glob, Leaf, Range
from backend.language.numbers import is_number
from backend.language.severities import NAMES, normalized_severity
from kit.errors import InvalidQuery
from schema.severity import UNSPECIFIED

_SEVERITIES = (*NAMES, UNSPECIFIED, "a number from 0 to 24")
_MAX_WHOLE = 2**32 - 1
_HEX = frozenset("0123456789abcdef")


def plain_value(field: Field, run: str, position: int) -> Leaf:
    """Returns the node of `field:run`: a whole value, a glob, or `*`."""
    if run.startswith(("=", "!=")):
        raise InvalidQuery(
            "write field:value for equal, -field:value for not equal; put a value that starts with = or != in quotes",
            position,
            ("a value", "a value in quotes"),
        )
    pieces = split_stars(run, position)
    if len(pieces) == 1:
        return whole_value(field, pieces[0], position)
    if pieces == ("", ""):
        return Exists(field)
    if field.kind is Kind.hex_id:
        return Glob(field, _id_prefix(field, pieces, position))
    if field.kind is not Kind.text:
        raise InvalidQuery(f"{field.name} does not take * inside a value", position, _expected(field))
    check_pieces(len(pieces), position)
    return Glob(field, pieces)


def whole_value(field: Field, value: str, position: int) -> Leaf:
    """Returns the node of `field:value` or `field:"value"`."""
    if field.kind is Kind.hex_id:
        digits = HEX_DIGITS[field.name]
        if len(value) != digits or not _is_hex(value):
            given = f"this one has {len(value)}" if _is_hex(value) else "this value has other characters"
            raise InvalidQuery(f"`{field.name}` has {digits} hexadecimal digits; {given}", position, _expected(field))
        if not value.strip("0"):
            raise InvalidQuery(
                f"a {field.name} of zeros means that the record has none: write -{field.name}:*",
                position,
                _expected(field),
            )
        return Equals(field, value.lower())
    return Equals(field, _operand(field, value, position))


def comparison(field: Field, comparator: Comparator, operand: str, position: int) -> Leaf:
    """Returns the node of `field:>operand`."""
    _check_comparable(field, position)
    return Compare(field, comparator, _operand(field, operand, position))


def range_between(field: Field, low: Bound | None, high: Bound | None, position: int) -> Leaf:
    """Returns the node of `field:[low TO high]`. With both ends open, it means that the field exists."""
    _check_comparable(field, position)
    if low is None and high is None:
        return Exists(field)
    if field.kind is Kind.text and low and high and is_number(low.operand) != is_number(high.operand):
        raise InvalidQuery(
            "one end of the range is a number and the other is text: write two numbers or two texts",
            position,
            ("two numbers", "two texts"),
        )
    return Range(field, _bound(field, low, position), _bound(field, high, position))


def check_takes_words(field: Field, position: int) -> None:
    """Raises InvalidQuery for `field:~word` on a field that holds no text."""
    if field.kind is not Kind.text:
        raise InvalidQuery(
            f"{field.name} has no words to search; write {field.name}:value for the whole value",
            position,
            _expected(field),
        )


def _bound(field: Field, bound: Bound | None, position: int) -> Bound | None:
    return bound and Bound(_operand(field, bound.operand, position), bound.inclusive)


def _check_comparable(field: Field, position: int) -> None:
    if field.kind is Kind.hex_id:
        raise InvalidQuery(
            f"{field.name} has no order; write {field.name}:value for one value, or its first digits and *",
            position,
            _expected(field),
        )


def _operand(field: Field, text: str, position: int) -> str:
    if field.kind is Kind.severity:
        severity = normalized_severity(text)
        if severity is None:
            raise InvalidQuery(
                f"{text[:40]!r} is not a severity: write {', '.join(_SEVERITIES[:-1])}, or {_SEVERITIES[-1]}",
                position,
                _SEVERITIES,
            )
        return severity
    if field.kind is Kind.number:
        if not (text.isascii() and text.isdigit()) or len(text) > 10 or int(text) > _MAX_WHOLE:
            raise InvalidQuery(
                f"{text[:40]!r} is not a whole number from 0 to {_MAX_WHOLE}, as {field.name} needs",
                position,
                _expected(field),
            )
        return str(int(text))
    return text


def _id_prefix(field: Field, pieces: tuple[str, ...], position: int) -> tuple[str, ...]:
    digits = HEX_DIGITS[field.name]
    prefix, *rest = pieces
    if rest != [""] or len(prefix) > digits or not _is_hex(prefix):
        raise InvalidQuery(
            f"{field.name} takes * only after its first hexadecimal digits, at most {digits}",
            position,
            _expected(field),
        )
    return prefix.lower(), ""


def _is_hex(text: str) -> bool:
    return bool(text) and set(text.lower()) <= _HEX


def _expected(field: Field) -> tuple[str, ...]:
    match field.kind:
        case Kind.severity:
            return _SEVERITIES
        case Kind.number:
            return "a whole number", "a comparison such as >=1", "*"
        case Kind.hex_id:
            return f"{HEX_DIGITS[field.name]} hexadecimal digits", "the first digits and *", "*"
        case _:
            return ("a value",)
