"""Conditions on attributes: a look-up in one map, or in the log's attributes and then in the resource's."""

from backend.language.fields import Source
from backend.language.nodes import Exists, ValueNode
from backend.predicate.long_texts import LongTexts
from backend.predicate.rows import Rows
from backend.predicate.selection import Selection
from backend.predicate.text_values import TextTest, value_test


def attribute_selection(node: Exists | ValueNode) -> Selection:
    """Returns the selection of rows whose attribute satisfies the node."""
    name = node.field.name
    test: TextTest = _any_value if isinstance(node, Exists) else value_test(node)
    if node.field.source is Source.either:
        return _log_then_resource(name, test)
    in_resource = node.field.source is Source.resource

    def select(rows: Rows, candidates: list[int]) -> list[int]:
        maps, long = rows.columns.resource if in_resource else rows.columns.attributes, rows.long_texts
        return [row for row in candidates if (value := maps[row].get(name)) is not None and test(value, long)]

    return select


def _log_then_resource(name: str, test: TextTest) -> Selection:
    def select(rows: Rows, candidates: list[int]) -> list[int]:
        attributes, resource, long = rows.columns.attributes, rows.columns.resource, rows.long_texts
        return [
            row
            for row in candidates
            if (value := attributes[row].get(name, resource[row].get(name))) is not None and test(value, long)
        ]

    return select


def _any_value(_value: str, _long: LongTexts) -> bool:
    return True
