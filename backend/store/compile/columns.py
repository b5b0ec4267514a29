"""Conditions on the record's own columns."""

from backend.language.fields import HEX_DIGITS, Field, Kind
from backend.language.nodes import Compare, Equals, Exists, Glob, Range, ValueNode, comparisons
from backend.language.severities import severity_numbers
from backend.store.compile.clause import Clause, Scan
from backend.store.compile.parameters import Parameters
from backend.store.compile.text_values import value_condition


def column_clause(node: Exists | ValueNode, parameters: Parameters) -> Clause:
    """Returns the node's condition on a built-in field. Words of the body are not handled here."""
    column = node.field.column
    sql = _exists(node.field, column) if isinstance(node, Exists) else _condition(node, column, parameters)
    prunes = column == "trace_id" and isinstance(node, Equals)
    return Clause(f"({sql})", frozenset({column}), scan=None if prunes else Scan.value)


def _exists(field: Field, column: str) -> str:
    match field.kind:
        case Kind.hex_id:
            return _has_id(field, column)
        case Kind.text | Kind.body:
            return f"{column} != ''"
        case Kind.number | Kind.severity:
            return f"{column} != 0"


def _condition(node: ValueNode, column: str, parameters: Parameters) -> str:
    match node.field.kind, node:
        case Kind.hex_id, Equals():
            return f"{column} = unhex({parameters.add(node.value)})"
        case Kind.hex_id, Glob():
            return _id_prefix(node, column, parameters)
        case Kind.severity, Equals() | Compare() | Range():
            first, last = severity_numbers(node)
            return f"{column} BETWEEN {parameters.add(first)} AND {parameters.add(last)}"
        case Kind.number, Equals():
            return f"{column} = {parameters.add(int(node.value))}"
        case Kind.number, Compare() | Range():
            ends = comparisons(node) if isinstance(node, Range) else (node,)
            return " AND ".join([f"{column} {end.comparator.value} {parameters.add(int(end.operand))}" for end in ends])
        case _:
            return value_condition(column, node, parameters)


def _has_id(field: Field, column: str) -> str:
    """Returns the condition that a record has the id. A record without one has only zeros there."""
    return f"{column} != toFixedString('', {HEX_DIGITS[field.name] // 2})"


def _id_prefix(node: Glob, column: str, parameters: Parameters) -> str:
    """Returns the condition on an id's prefix: a range, because ids are stored as bytes and a digit is half of one."""
    digits = HEX_DIGITS[node.field.name]
    first = parameters.add(node.pieces[0].ljust(digits, "0"))
    last = parameters.add(node.pieces[0].ljust(digits, "f"))
    return f"{column} BETWEEN unhex({first}) AND unhex({last}) AND {_has_id(node.field, column)}"
