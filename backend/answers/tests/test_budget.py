"""Tests of the limit on answers that a tenant's clients do not read."""

import pytest

from backend.answers.budget import AnswerBudget
from kit.errors import QueryTooExpensive, RateLimited


def test_one_tenant_leaves_room_for_another() -> None:
    budget = AnswerBudget(100)
    with budget.share(1) as first, budget.share(1) as second, budget.share(2) as other:
        first.grow(40)
        second.grow(10)
        with pytest.raises(RateLimited, match="have not read 50 bytes"):
            second.grow(10)
        other.grow(25)


def test_an_answer_larger_than_half_is_refused_for_good() -> None:
    budget = AnswerBudget(2_000)
    with budget.share(1) as first, budget.share(2) as other:
        with pytest.raises(QueryTooExpensive, match=r"has 1,001 bytes or more, .* at most 1,000 .* fewer records"):
            first.grow(1_001)
        first.grow(1_000)
        other.grow(500)


def test_an_answer_that_grew_to_more_than_half_in_steps_is_refused_for_good() -> None:
    with AnswerBudget(2_000).share(1) as answer:
        for _ in range(2):
            answer.grow(500)
        with pytest.raises(QueryTooExpensive, match=r"has 1,500 bytes or more, .* at most 1,000"):
            answer.grow(500)


def test_what_was_read_or_given_up_is_free_again() -> None:
    budget = AnswerBudget(100)
    with budget.share(1) as first:
        first.grow(40)
        first.shrink(40)
        first.grow(50)
        with budget.share(1) as second, pytest.raises(RateLimited):
            second.grow(1)
    with budget.share(2) as next_one:
        next_one.grow(50)
