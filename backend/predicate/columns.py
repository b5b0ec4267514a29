"""Conditions on the record's own columns."""

from collections.abc import Callable
from typing import Any

from backend.language.fields import Kind
from backend.language.nodes import Compare, Equals, Exists, Glob, Range, ValueNode, comparisons
from backend.language.severities import severity_numbers
from backend.predicate.rows import Rows
from backend.predicate.selection import Selection
from backend.predicate.text_values import COMPARE, TextTest, value_test


def column_selection(node: Exists | ValueNode) -> Selection:
    """Returns the selection of rows whose built-in field satisfies the node. Words of the body are not handled here."""
    column = node.field.column
    test = _exists_test(node.field.kind) if isinstance(node, Exists) else _test(node)
    if test is None:
        assert not isinstance(node, Exists)
        return _text_selection(column, value_test(node))

    def select(rows: Rows, candidates: list[int]) -> list[int]:
        values = getattr(rows.columns, column)
        return [row for row in candidates if test(values[row])]

    return select


def _text_selection(column: str, test: TextTest) -> Selection:
    def select(rows: Rows, candidates: list[int]) -> list[int]:
        values, long = getattr(rows.columns, column), rows.long_texts
        return [row for row in candidates if test(values[row], long)]

    return select


# All values of a column have one type, which depends on the field's kind and is unknown to the type checker.
def _exists_test(kind: Kind) -> Callable[[Any], bool]:
    return any if kind is Kind.hex_id else bool


def _test(node: ValueNode) -> Callable[[Any], bool] | None:
    """Returns the test of a value that is no text, and None if the field has texts."""
    match node.field.kind, node:
        case Kind.hex_id, Equals():
            return bytes.fromhex(node.value).__eq__
        case Kind.hex_id, Glob():
            prefix = node.pieces[0]
            return lambda value: any(value) and value.hex().startswith(prefix)
        case Kind.severity, Equals() | Compare() | Range():
            first, last = severity_numbers(node)
            return lambda value: first <= value <= last
        case Kind.number, Equals():
            number = int(node.value)
            return lambda value: value == number
        case Kind.number, Compare() | Range():
            ends = [
                (COMPARE[end.comparator], int(end.operand))
                for end in (comparisons(node) if isinstance(node, Range) else (node,))
            ]
            return lambda value: all(compare(value, operand) for compare, operand in ends)
        case _:
            return None
