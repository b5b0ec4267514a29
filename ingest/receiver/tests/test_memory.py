import contextlib

import pytest

from ingest.receiver.memory import MemoryBudget
from kit.errors import Unavailable


def test_what_goes_beyond_is_refused_and_comes_back_at_the_end() -> None:
    budget = MemoryBudget(10)
    with budget.share() as first:
        first.grow(6)
        with budget.share() as second, pytest.raises(Unavailable):
            second.grow(5)
        first.grow(4)
    with budget.share() as third:
        third.grow(10)


def test_a_request_that_fails_gives_its_share_back() -> None:
    budget = MemoryBudget(10)
    with contextlib.suppress(ValueError), budget.share() as share:
        share.grow(10)
        raise ValueError
    with budget.share() as share:
        share.grow(10)
