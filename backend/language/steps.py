"""Counts what the regular expressions of a query cost."""

from backend.language.nodes import And, Node, Not, Or, Regex
from backend.language.regexes import check_regex


def expression_steps(node: Node) -> int:
    """Returns the instructions of RE2's programs for the query's expressions together."""
    if isinstance(node, And | Or):
        return sum(expression_steps(operand) for operand in node.operands)
    if isinstance(node, Not):
        return expression_steps(node.operand)
    return check_regex(node.pattern, 0) if isinstance(node, Regex) else 0
