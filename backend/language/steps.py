"""Counts the cost of a query's regular expressions."""

from backend.language.nodes import And, Node, Not, Or, Regex
from backend.language.regexes import check_regex


def expression_steps(node: Node) -> int:
    """Returns the number of instructions in RE2's programs for all expressions of the query."""
    if isinstance(node, And | Or):
        return sum(expression_steps(operand) for operand in node.operands)
    if isinstance(node, Not):
        return expression_steps(node.operand)
    return check_regex(node.pattern, 0) if isinstance(node, Regex) else 0
