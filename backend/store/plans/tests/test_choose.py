"""Tests of the choice of a plan by the filter and the index on words."""

import pytest

from backend.language.parse import parse
from backend.store.compile.filter import compile_filter
from backend.store.plans.capabilities import Capabilities
from backend.store.plans.choose import choose
from backend.store.plans.extent import Extent
from backend.store.plans.plan import Plan, RangePlan

TOKENBF, TEXT = False, True


@pytest.mark.parametrize(
    ("query", "finds_words", "plan"),
    [
        ("word", TEXT, Plan.in_order),
        ("word", TOKENBF, Plan.windowed),
        ("/w.rd/", TEXT, Plan.windowed),
        ("word user.id:7*", TEXT, Plan.in_order),
        ("severity:error", TOKENBF, Plan.in_order),
        ("user.id:7", TOKENBF, Plan.in_order),
        ("user.id:7 OR severity:fatal", TOKENBF, Plan.windowed),
        ("-user.id:7", TEXT, Plan.windowed),
        ("severity:error -user.id:7", TEXT, Plan.windowed),
        ("", TOKENBF, Plan.in_order),
    ],
)
def test_windows_are_read_only_where_they_save_checks(query: str, finds_words: bool, plan: Plan) -> None:
    choice = choose(compile_filter(parse(query)), Capabilities(finds_words, True), Extent(1, 1, 1), Plan.auto)
    assert (choice.plan, choice.inside) == (plan, RangePlan.in_order)


def test_a_server_that_reads_wide_columns_first_gets_statements_for_keys() -> None:
    choice = choose(compile_filter(parse("word")), Capabilities(TEXT, False), Extent(1, 1, 1), Plan.auto)
    assert (choice.plan, choice.inside) == (Plan.two_phase, RangePlan.two_phase)
