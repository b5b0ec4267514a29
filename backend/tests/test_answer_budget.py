"""Tests of the limit on answers that a tenant's clients do not read."""

import pytest

from backend.answer_budget import AnswerBudget
from kit.errors import RateLimited


def test_one_tenant_leaves_room_for_another() -> None:
    budget = AnswerBudget(100)
    with budget.share(1) as first, budget.share(1) as second, budget.share(2) as other:
        first.grow(40)
        second.grow(10)
        with pytest.raises(RateLimited, match="have not read 50 bytes"):
            second.grow(10)
        other.grow(50)


def test_what_was_read_or_given_up_is_free_again() -> None:
    budget = AnswerBudget(100)
    with budget.share(1) as first:
        first.grow(90)
        first.shrink(90)
        first.grow(100)
        with pytest.raises(RateLimited):
            first.grow(1)
    with budget.share(2) as next_one:
        next_one.grow(100)
