import json

from backend.language.limits import MAX_DEPTH
from backend.language.parse import parse
from backend.search.explanation import added_up, uses
from backend.search.schemas import Explanation
from backend.search.service import _json_tree
from backend.store.compile.filter import compile_filter
from backend.store.plans.plan import Plan

PLAN = """[{"Plan": {"Node Type": "Union", "Plans": [%s, %s]}}]"""
READ = """{"Node Type": "ReadFromMergeTree", "Indexes": [
 {"Type": "PrimaryKey", "Keys": ["tenant_id", "timestamp"], "Condition": "c", "Initial Parts": 3, "Selected Parts": 2,
  "Initial Granules": 9, "Selected Granules": 7},
 {"Type": "Skip", "Name": "body_words", "Description": "tokenbf_v1 GRANULARITY 1", "Initial Parts": 2,
  "Selected Parts": 1, "Initial Granules": 7, "Selected Granules": 1}]}"""


def test_an_index_of_several_tables_is_shown_once_with_all_counts() -> None:
    found = added_up(uses(PLAN % (READ, READ)))
    assert [(use.name, use.type) for use in found] == [
        ("tenant_id, timestamp", "PrimaryKey"),
        ("body_words", "tokenbf_v1 GRANULARITY 1"),
    ]
    assert [(use.parts_total, use.parts_read, use.granules_total, use.granules_read) for use in found] == [
        (6, 4, 18, 14),
        (4, 2, 14, 2),
    ]


def test_an_index_that_one_table_lacks_is_shown() -> None:
    without = READ[: READ.index(',\n {"Type": "Skip"')] + "]}"
    found = added_up(uses(PLAN % (without, READ)))
    assert [use.granules_total for use in found] == [18, 7]


def test_an_infinite_parameter_is_shown_as_text() -> None:
    parameters = compile_filter(parse("attributes.ms:<1e999")).parameters
    assert [_json_tree(value) for value in parameters.values()] == ["ms", "inf"]


def test_a_tree_of_any_depth_is_written() -> None:
    deepest = "\u00e9"
    for _ in range(MAX_DEPTH):
        deepest = f"(a OR b -{deepest})"
    explanation = Explanation(
        query=deepest,
        ast=_json_tree(parse(deepest)),
        plan=Plan.in_order,
        why="",
        scan=None,
        sql="",
        shards=[0],
        second_phase_sql=None,
        parameters={"b0": "\u00e9"},
        indexes=[],
    )
    written = json.loads(explanation.json_text())
    assert written.pop("ast") == explanation.ast
    assert written == explanation.model_dump(mode="json", exclude={"ast"})
    assert written.keys() | {"ast"} == Explanation.model_fields.keys()
