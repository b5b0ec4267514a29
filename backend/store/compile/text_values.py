"""Conditions on a text value: on an attribute or a built-in text column."""

from backend.language.nodes import Comparator, Compare, Equals, Glob, Range, Substring, ValueNode, Words, comparisons
from backend.language.numbers import NUMBER_PATTERN, is_number
from backend.store.compile.parameters import Parameters
from backend.store.compile.words import text_condition

_LIKE_ESCAPES = str.maketrans({"\\": "\\\\", "%": "\\%", "_": "\\_"})


def value_condition(value: str, node: ValueNode, parameters: Parameters) -> str:
    """Returns SQL that is true if the expression `value` satisfies the node. The SQL is never NULL."""
    match node:
        case Words() | Substring():
            return text_condition(value, node, parameters)
        case Equals():
            return f"{value} = {parameters.add(node.value)}"
        case Glob():
            return f"{value} LIKE {parameters.add(like_pattern(node.pieces))}"
        case Compare():
            return _comparison(value, node.comparator, node.operand, parameters)
        case Range():
            ends = [_comparison(value, end.comparator, end.operand, parameters) for end in comparisons(node)]
            return " AND ".join(ends)


def like_pattern(pieces: tuple[str, ...]) -> str:
    """Returns the glob as a LIKE pattern. Characters with a meaning in LIKE are escaped."""
    return "%".join(piece.translate(_LIKE_ESCAPES) for piece in pieces)


def _comparison(value: str, comparator: Comparator, operand: str, parameters: Parameters) -> str:
    if is_number(operand):
        number = parameters.add(float(operand))
        return f"(match({value}, '{NUMBER_PATTERN}') AND toFloat64OrZero({value}) {comparator.value} {number})"
    return f"{value} {comparator.value} {parameters.add(operand)}"
