"""Lists the selectors of a PromQL expression: metric, labels, and whether a counter is read as a rate."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from promql_parser import (
    AggregateExpr,
    BinaryExpr,
    Call,
    Expr,
    MatrixSelector,
    ParenExpr,
    SubqueryExpr,
    UnaryExpr,
    VectorSelector,
    parse,
)

RATES: Final = {"rate", "irate", "increase"}


@dataclass(frozen=True, slots=True)
class Selection:
    """One selector of an expression. `grouped` are the labels of all aggregations around it, None without one."""

    name: str
    matched: dict[str, str]
    grouped: frozenset[str] | None
    in_rate: bool


def selections(expression: str) -> list[Selection]:
    """Returns all selectors of an expression. Raises ValueError where it is not PromQL."""
    return list(_walk(parse(expression), None, in_rate=False))


def _walk(node: Expr, grouped: frozenset[str] | None, in_rate: bool) -> Iterator[Selection]:
    match node:
        case AggregateExpr():
            labels = node.modifier.labels if node.modifier is not None else []
            yield from _walk(node.expr, frozenset({*labels, *(grouped or ())}), in_rate)
        case BinaryExpr():
            yield from _walk(node.lhs, grouped, in_rate)
            yield from _walk(node.rhs, grouped, in_rate)
        case Call():
            for argument in node.args:
                yield from _walk(argument, grouped, in_rate or node.func.name in RATES)
        case MatrixSelector():
            yield _selection(node.vector_selector, grouped, in_rate)
        case VectorSelector():
            yield _selection(node, grouped, in_rate)
        case ParenExpr() | UnaryExpr() | SubqueryExpr():
            yield from _walk(node.expr, grouped, in_rate)


def _selection(selector: VectorSelector, grouped: frozenset[str] | None, in_rate: bool) -> Selection:
    matched = {each.name: each.value for each in selector.matchers.matchers}
    return Selection(selector.name or "", matched, grouped, in_rate)
