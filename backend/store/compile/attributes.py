"""Conditions on attributes: a look-up in one map, or in the log's attributes and then in the resource's."""

from collections.abc import Sequence

from backend.language.fields import Field, Source
from backend.language.nodes import Equals, Exists, Node, ValueNode
from backend.store.compile.clause import Clause
from backend.store.compile.parameters import Parameters
from backend.store.compile.text_values import value_condition
from schema.attribute_pairs import PAIRS, pair


def pair_of(node: Node) -> str | None:
    """Returns the text in the index on pairs whose presence alone decides the node. None if there is no such text."""
    if isinstance(node, Equals) and node.field.source is Source.either:
        return pair(node.field.name, node.value)
    return None


def any_pair_clause(pairs: Sequence[str], parameters: Parameters) -> Clause:
    """Returns the condition that a record has at least one of the given pairs. At least one pair must be given.

    One condition for all pairs is used, because 256 conditions take 40 times as long.
    """
    texts = [parameters.add(each) for each in pairs]
    sql = f"has({PAIRS}, {texts[0]})" if len(texts) == 1 else f"hasAny({PAIRS}, [{', '.join(texts)}])"
    return Clause(sql, frozenset(), scan=None, reads_pairs=True)


def attribute_clause(node: Exists | ValueNode, parameters: Parameters) -> Clause:
    """Returns the node's condition on the attribute's value; false if a record lacks the attribute.

    An Equals node uses the index on pairs of name and value, unless the pair is too long for the index. The index has
    the pairs of the log's attributes, and those of the resource whose name is not an attribute of the log. These are
    the values of a field without a prefix, so the index alone decides such a field. For a field with a prefix, the map
    is checked as well. For other nodes, ClickHouse skips granules by the bloom filter over the map's keys.
    """
    if decisive := pair_of(node):
        return any_pair_clause([decisive], parameters)
    field = node.field
    indexed = pair(field.name, node.value) if isinstance(node, Equals) else None
    if field.source is Source.either:
        log = _in_map("attributes", field, node, parameters)
        resource = _in_map("resource", field, node, parameters)
        absent = f"NOT mapContains(attributes, {parameters.add(field.name)})"
        return Clause(f"({log} OR {absent} AND {resource})", frozenset({"attributes", "resource"}))
    column = field.source.value
    condition = _in_map(column, field, node, parameters)
    if indexed is None:
        return Clause(f"({condition})", frozenset({column}))
    found = any_pair_clause([indexed], parameters).sql
    if field.source is Source.attributes:
        return Clause(f"({found} AND {condition})", frozenset({column}), scan=None)
    hidden = f"mapContains(attributes, {parameters.add(field.name)})"
    return Clause(f"(({found} OR {hidden}) AND {condition})", frozenset({"attributes", column}), scan=None)


def _in_map(column: str, field: Field, node: Exists | ValueNode, parameters: Parameters) -> str:
    key = parameters.add(field.name)
    exists = f"mapContains({column}, {key})"
    if isinstance(node, Exists):
        return exists
    return f"{exists} AND {value_condition(f'{column}[{key}]', node, parameters)}"
