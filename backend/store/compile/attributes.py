"""Conditions on attributes: a look-up in one map, or in the log's attributes and then in the resource's."""

from backend.language.fields import Field, Source
from backend.language.nodes import Equals, Exists
from backend.store.compile.clause import Clause
from backend.store.compile.parameters import Parameters
from backend.store.compile.text_values import ValueNode, value_condition


def attribute_clause(node: Exists | ValueNode, parameters: Parameters) -> Clause:
    """Returns the node's condition on the attribute's value; false if a record lacks the attribute.

    ClickHouse prunes `map[key] = value` by the bloom filters over the map's keys and values. It does not for the empty
    value, which a missing key gives too. It prunes mapContains by the bloom filter over keys.
    """
    field = node.field
    prunes = isinstance(node, Equals) and node.value != ""
    if field.source is Source.either:
        log = _in_map("attributes", field, node, parameters)
        resource = _in_map("resource", field, node, parameters)
        absent = f"NOT mapContains(attributes, {parameters.add(field.name)})"
        sql = f"({log} OR {absent} AND {resource})"
        return Clause(sql, frozenset({"attributes", "resource"}), prunes=prunes)
    column = field.source.value
    return Clause(f"({_in_map(column, field, node, parameters)})", frozenset({column}), prunes=prunes)


def _in_map(column: str, field: Field, node: Exists | ValueNode, parameters: Parameters) -> str:
    key = parameters.add(field.name)
    exists = f"mapContains({column}, {key})"
    if isinstance(node, Exists):
        return exists
    return f"{exists} AND {value_condition(f'{column}[{key}]', node, parameters)}"
