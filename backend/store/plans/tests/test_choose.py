"""Tests of the choice of a plan by the filter, the index on words, and the number of shards."""

import pytest

from backend.language.parse import parse
from backend.store.compile.filter import compile_filter
from backend.store.plans.capabilities import Capabilities
from backend.store.plans.choose import choose
from backend.store.plans.extent import Extent
from backend.store.plans.plan import Plan

TOKENBF, TEXT = False, True


@pytest.mark.parametrize(
    ("query", "finds_words", "shards", "plan", "inside"),
    [
        ("word", TEXT, 1, Plan.in_order, Plan.in_order),
        ("word", TOKENBF, 1, Plan.windowed, Plan.in_order),
        ("/w.rd/", TEXT, 1, Plan.windowed, Plan.in_order),
        ("severity:error", TOKENBF, 1, Plan.in_order, Plan.in_order),
        ("word", TEXT, 2, Plan.two_phase, Plan.two_phase),
        ("word", TOKENBF, 2, Plan.windowed, Plan.in_order),
        ("/w.rd/", TEXT, 2, Plan.windowed, Plan.in_order),
        ("word user.id:7", TEXT, 2, Plan.two_phase, Plan.two_phase),
        ("word user.id:7*", TEXT, 2, Plan.in_order, Plan.in_order),
        ("severity:error", TOKENBF, 2, Plan.two_phase, Plan.two_phase),
        ("", TOKENBF, 2, Plan.two_phase, Plan.two_phase),
    ],
)
def test_a_page_is_read_twice_only_where_finding_it_is_cheap(
    query: str, finds_words: bool, shards: int, plan: Plan, inside: Plan
) -> None:
    choice = choose(compile_filter(parse(query)), Capabilities(finds_words, True, shards), Extent(1, 1), Plan.auto)
    assert (choice.plan, choice.inside) == (plan, inside)


def test_a_server_that_reads_wide_columns_first_gets_statements_for_keys() -> None:
    choice = choose(compile_filter(parse("word")), Capabilities(TEXT, False, 1), Extent(1, 1), Plan.auto)
    assert (choice.plan, choice.inside) == (Plan.two_phase, Plan.two_phase)
