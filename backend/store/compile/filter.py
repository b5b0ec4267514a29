"""Compiles a query to the condition of a WHERE clause."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from backend.language.fields import BODY, Source
from backend.language.nodes import And, Leaf, MatchAll, Node, Not, Or, Regex, Substring, Words
from backend.store.compile.attributes import any_pair_clause, attribute_clause, pair_of
from backend.store.compile.clause import Clause, Scan, either, every, without
from backend.store.compile.columns import column_clause
from backend.store.compile.parameters import Parameter, Parameters
from backend.store.compile.words import all_words_hint, indexed_condition, lookups

SETTINGS: Mapping[str, int] = MappingProxyType({"precise_float_parsing": 1})
"""Server settings that give the SQL its meaning; the default from 26.7 on.

Without them, one in five attribute values with many digits or a large exponent is read as a neighbour of its nearest
double, and `0e999` as NaN.
"""

_BODY_COLUMN = frozenset({"body"})


@dataclass(frozen=True, slots=True)
class Filter:
    """A boolean ClickHouse expression over the columns of a log table.

    `parameters` are for server-side placeholders: strings for String, integers for UInt32, floats for Float64.
    """

    node: Node
    """The query from which it was compiled."""
    sql: str
    parameters: Mapping[str, Parameter]
    clause: Clause
    """The facts about the expression that a planner needs. `sql` may have further conditions for the indexes."""


def compile_filter(node: Node) -> Filter:
    """Returns the SQL condition of a query, for every node that the parser can give. Raises nothing."""
    parameters = Parameters()
    clause = clause_of(node, parameters)
    hint = all_words_hint("body", clause.words, parameters)
    sql = f"({hint} AND {clause.sql})" if hint else clause.sql
    values = MappingProxyType(parameters.collected())
    return Filter(node, sql, values, clause)


def clause_of(node: Node, parameters: Parameters) -> Clause:
    """Returns the condition of a query within a statement that has other parameters too. Raises nothing."""
    if isinstance(node, And):
        return every([clause_of(operand, parameters) for operand in node.operands])
    if isinstance(node, Or):
        return _either(node, parameters)
    if isinstance(node, Not):
        return without(clause_of(node.operand, parameters))
    return _leaf(node, parameters)


def _either(node: Or, parameters: Parameters) -> Clause:
    """Returns a clause that is true if at least one operand is. All operands that the index on pairs decides are one
    condition."""
    pairs = [pair for pair in map(pair_of, node.operands) if pair is not None]
    decided = [any_pair_clause(pairs, parameters)] if pairs else []
    others = [clause_of(operand, parameters) for operand in node.operands if pair_of(operand) is None]
    return either([*decided, *others])


def _leaf(node: Leaf, parameters: Parameters) -> Clause:
    match node:
        case MatchAll():
            return Clause("1", frozenset(), scan=Scan.everything)
        case Regex():
            return _words_of_body(node, parameters)
        case Words() | Substring() if node.field == BODY:
            return _words_of_body(node, parameters)
        case _:
            return (column_clause if node.field.source is Source.record else attribute_clause)(node, parameters)


def _words_of_body(node: Words | Substring | Regex, parameters: Parameters) -> Clause:
    found = lookups(node)
    scan: Scan | None = Scan.part_of_word if found else Scan.no_word
    if found and all(each.tokens for each in found):
        scan = None
    sql = indexed_condition("body", node, found, parameters)
    words = frozenset(found[0].tokens) if len(found) == 1 else frozenset[str]()
    return Clause(sql, _BODY_COLUMN, scan=scan, looks_up_words=bool(found), words=words)
