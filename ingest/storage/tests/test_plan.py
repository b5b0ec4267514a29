"""Tests which days go when the logs of a volume exceed their budget, and what is predicted."""

from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.storage.forecast import Loss, daily_bytes, forecast
from ingest.storage.plan import Days, Rules, plan, without_removed
from ingest.storage.shares import fair_shares
from tests.chance import repetitions

TODAY = 20_000
DAYS = st.lists(st.integers(0, 300), min_size=1, max_size=6).map(
    lambda sizes: {TODAY - age: size for age, size in enumerate(sizes) if size}
)
STORED = st.lists(DAYS, max_size=6).map(lambda days: dict(enumerate(days)))
BUDGETS = st.integers(0, 5_000)
RULES = st.builds(Rules, st.integers(0, 400), st.integers(TODAY - 3, TODAY))
CASES = settings(max_examples=repetitions(10_000))


def after(stored: Mapping[int, Days], kept_from: Mapping[int, int]) -> dict[int, Days]:
    return {tenant: without_removed(days, kept_from.get(tenant, 0)) for tenant, days in stored.items()}


def total(stored: Mapping[int, Days]) -> int:
    return sum(sum(days.values()) for days in stored.values())


@CASES
@given(STORED, BUDGETS, RULES)
def test_only_tenants_above_their_share_lose_days_and_no_more_than_needed(
    stored: dict[int, Days], budget: int, rules: Rules
) -> None:
    sizes = {tenant: sum(days.values()) for tenant, days in stored.items()}
    decided = plan(stored, budget, rules)
    assert decided.shares == fair_shares(sizes, budget, rules.guaranteed)
    assert plan(stored, total(stored), rules).kept_from == {}
    left = after(stored, decided.kept_from)
    for tenant, first in decided.kept_from.items():
        last_gone = max(day for day in stored[tenant] if day < first)
        assert sum(left[tenant].values()) + stored[tenant][last_gone] > decided.shares[tenant]
        lost_alone_exceeds_share = stored[tenant][last_gone] > decided.shares[tenant] >= rules.guaranteed
        assert sum(left[tenant].values()) >= rules.guaranteed or lost_alone_exceeds_share
        assert first <= rules.untouchable_from

    assert decided.over == max(0, total(left) - budget)
    for tenant, days in left.items():
        may_lose = days and min(days) < rules.untouchable_from and sum(days.values()) > decided.shares[tenant]
        if decided.over and may_lose:
            assert sum(days.values()) - days[min(days)] < rules.guaranteed
            assert days[min(days)] <= decided.shares[tenant]


def test_the_largest_tenant_loses_its_oldest_days_and_small_ones_lose_none() -> None:
    large = {TODAY - age: 100 for age in range(5)}
    small = {TODAY - age: 20 for age in range(5)}
    decided = plan({1: large, 2: small}, 400, Rules(0, TODAY))
    assert decided.shares == {1: 300, 2: 100}
    assert decided.kept_from == {1: TODAY - 2}


def test_guaranteed_bytes_do_not_protect_a_day_that_alone_exceeds_the_share_of_its_tenant() -> None:
    small = {tenant: {TODAY - age: 1 for age in range(10)} for tenant in range(2, 6)}
    flooded = {TODAY - 1: 900, TODAY: 5}
    decided = plan({1: flooded} | small, 850, Rules(10, TODAY))
    assert (decided.kept_from, decided.over) == ({1: TODAY}, 0)
    # Without an excess, and for a day that is not larger than the share, the guaranteed bytes stay.
    assert plan({1: flooded} | small, 945, Rules(10, TODAY)).kept_from == {}
    assert plan({1: {TODAY - 1: 15, TODAY: 5}}, 16, Rules(10, TODAY)).kept_from == {}


def test_a_forecast_says_when_the_target_is_reached_and_which_days_go_first() -> None:
    stored = {1: {TODAY - age: 100 for age in range(5)}, 2: {TODAY: 10}}
    found = forecast(stored, {1: 30, 2: 30}, 800, Rules(0, TODAY), TODAY)
    # On the third day ahead, they store 800 and 40 bytes.
    assert found.target_reached_on == TODAY + 3
    assert found.losses == {1: Loss(TODAY + 3, TODAY - 4, TODAY - 4, 100)}


def test_a_tenant_whose_retention_removes_as_much_as_arrives_is_predicted_to_lose_nothing() -> None:
    stored = {1: {TODAY - age: 100 for age in range(5)}}
    assert forecast(stored, {1: 4}, 500, Rules(0, TODAY), TODAY).losses == {}
    assert forecast(stored, {1: 5}, 500, Rules(0, TODAY), TODAY).losses[1].on == TODAY + 1


def test_daily_bytes_are_the_mean_of_recent_complete_days() -> None:
    assert daily_bytes({TODAY: 7}, TODAY) == 7
    assert daily_bytes({TODAY - 2: 30, TODAY: 1_000}, TODAY) == 15
    assert daily_bytes({TODAY - 40: 9_000}, TODAY) == 0


@given(STORED, BUDGETS, RULES)
def test_losses_predicted_for_today_are_those_that_are_decided(
    stored: dict[int, Days], budget: int, rules: Rules
) -> None:
    today = plan(stored, budget, rules)
    predicted = forecast(stored, dict.fromkeys(stored, 365), budget, rules, TODAY).losses
    assert {tenant for tenant, loss in predicted.items() if loss.on == TODAY} == today.kept_from.keys()
