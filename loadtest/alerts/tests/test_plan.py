"""Tests that a plan has all firings and kills, spread over the run, and depends on nothing but its seed."""

import pytest

from loadtest.alerts.plan import GROUPS, MAX_KILL_SECONDS, plan


@pytest.mark.parametrize("seed", range(5))
def test_each_group_fires_once_at_a_time_within_the_run(seed: int) -> None:
    made = plan(seed, rules=200, minutes=3, kills=20)
    firings = [firing for _, firing in made.triggers]
    assert len(firings) == len(set(firings)) == 200 * GROUPS
    assert {firing.rule for firing in firings} == set(made.rules)
    times = [after for after, _ in made.triggers]
    assert times == sorted(times)
    # Both the quiet minutes and the kills have firings.
    assert 0 <= times[0] < 60
    assert 150 + 19 * 20 < times[-1] < 150 + 20 * 20
    assert len(set(made.kills)) == 20
    assert all(0 < after <= MAX_KILL_SECONDS for after in made.kills)


def test_a_plan_is_a_function_of_its_seed() -> None:
    assert plan(1, 4, 1, 3) == plan(1, 4, 1, 3) != plan(2, 4, 1, 3)
