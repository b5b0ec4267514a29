"""Tests that fair shares are max-min fair: they fit, grow with the budget, and leave nobody below an equal part."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.storage.shares import fair_shares
from tests.chance import repetitions

NEEDS = st.lists(st.integers(0, 1_000), max_size=9).map(lambda needs: dict(enumerate(needs)))
CASES = settings(max_examples=repetitions(10_000))


@CASES
@given(NEEDS, st.integers(0, 6_000), st.integers(0, 500))
def test_shares_are_max_min_fair(needs: dict[int, int], budget: int, more: int) -> None:
    shares = fair_shares(needs, budget)
    used, wanted = sum(shares.values()), sum(needs.values())
    assert used <= budget
    # Shares are whole bytes, so less than one byte for each tenant may be left.
    assert used == wanted or budget - used < len(needs)
    assert all(min(need, budget // len(needs)) <= shares[tenant] <= need for tenant, need in needs.items())
    cut = {shares[tenant] for tenant in needs if shares[tenant] < needs[tenant]}
    assert cut <= {max(shares.values(), default=0)}

    larger_budget = fair_shares(needs, budget + more)
    assert all(larger_budget[tenant] >= shares[tenant] for tenant in needs)
    for grown in [*needs][:1]:
        larger_need = fair_shares(needs | {grown: needs[grown] + more}, budget)
        assert larger_need[grown] >= shares[grown]
        assert all(larger_need[tenant] <= shares[tenant] for tenant in needs if tenant != grown)


@CASES
@given(NEEDS, st.integers(0, 6_000), st.integers(0, 500))
def test_everybody_has_the_guaranteed_bytes_that_it_needs(needs: dict[int, int], budget: int, guaranteed: int) -> None:
    shares = fair_shares(needs, budget, guaranteed)
    assert all(shares[tenant] >= min(need, guaranteed) for tenant, need in needs.items())
    assert sum(shares.values()) <= max(budget, sum(min(need, guaranteed) for need in needs.values()))
