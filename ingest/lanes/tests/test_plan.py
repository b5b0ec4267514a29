"""Tests which groups of tenants leave a full lane, and where they go."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.lanes.plan import Group, LaneBounds, LanePlan, plan_moves
from schema.control.tenant_lanes import TenantPlace


def tenants_of(groups: Sequence[Group]) -> list[TenantPlace]:
    return [TenantPlace(number, f"tenant-{number}", *group) for number, group in enumerate(groups)]


def planned(parts: Mapping[Group, int], lanes: Sequence[int], full: int = 100, most_lanes: int = 9) -> LanePlan:
    """Returns the plan for one tenant in each group that has parts."""
    return plan_moves(tenants_of([*parts]), parts, lanes, LaneBounds(full, most_lanes))


def test_nothing_moves_while_no_lane_is_full() -> None:
    assert planned({Group(0, "t1"): 60, Group(0, "t2"): 40}, (0, 1)) == LanePlan()


def test_a_full_lane_keeps_its_largest_cohorts_and_gives_the_others_to_the_lane_with_the_fewest_parts() -> None:
    parts = {Group(0, f"t{number}"): 10 + number for number in range(10)} | {Group(1, "t20"): 30}
    plan = planned(parts, (0, 1, 2))
    assert [group.cohort for group in plan.moves] == ["t7", "t6", "t5", "t4", "t2", "t1", "t0"]
    assert set(plan.moves.values()) == {1, 2, 3}
    assert (plan.created, plan.stuck) == ((3,), ())


def test_a_new_lane_is_created_only_if_every_other_lane_is_half_full() -> None:
    parts = {Group(0, "t1"): 60, Group(0, "t2"): 45}
    assert planned(parts | {Group(1, "t3"): 5}, (0, 1)) == LanePlan((), {Group(0, "t2"): 1})
    assert planned(parts | {Group(1, "t3"): 6}, (0, 1)) == LanePlan((2,), {Group(0, "t2"): 2})


def test_a_new_lane_has_a_number_that_the_search_user_may_read_even_if_there_are_gaps() -> None:
    parts = {Group(0, "t1"): 60, Group(0, "t2"): 45, Group(0, "t3"): 44, Group(1, "t4"): 60, Group(8, "t5"): 60}
    plan = planned(parts, (0, 1, 8))
    assert (plan.created, sorted(plan.moves.values())) == ((2, 3), [2, 3])


def test_at_the_largest_number_of_lanes_they_are_filled_up_and_then_a_full_lane_is_reported() -> None:
    parts = {Group(0, "t1"): 60, Group(0, "t2"): 45, Group(1, "t3"): 55}
    assert planned(parts, (0, 1), most_lanes=2) == LanePlan((), {Group(0, "t2"): 1})
    assert planned(parts | {Group(1, "t4"): 1}, (0, 1), most_lanes=2) == LanePlan((), {}, (0,))


def test_parts_that_a_cohort_left_on_other_lanes_count_where_its_tenants_are_now() -> None:
    parts = {Group(0, "t1"): 50, Group(0, "t2"): 60, Group(1, "t2"): 10}
    moved = tenants_of([Group(0, "t1"), Group(1, "t2")])
    assert plan_moves(moved, parts, (0, 1), LaneBounds(70, 9)) == LanePlan()
    assert plan_moves(moved, parts, (0, 1), LaneBounds(69, 9)) == LanePlan((), {}, (1,))


def test_tenants_of_one_cohort_move_together_and_never_to_a_lane_that_has_the_cohort() -> None:
    groups = [Group(0, "r30"), Group(0, "r30"), Group(1, "r30"), Group(0, "t9")]
    parts = {Group(0, "r30"): 50, Group(1, "r30"): 50, Group(0, "t9"): 80}
    plan = plan_moves(tenants_of(groups), parts, (0, 1), LaneBounds(100, 9))
    assert plan == LanePlan((2,), {Group(0, "r30"): 2})


def test_a_slow_lane_is_full_with_the_parts_that_it_has() -> None:
    groups = {Group(0, "t1"): 20, Group(0, "t2"): 18, Group(0, "t3"): 2, Group(1, "t4"): 15}
    bounds = LaneBounds(100, 9, slow=39)
    plan = plan_moves(tenants_of([*groups]), groups, (0, 1), bounds, slow=(0, 1))
    assert plan == LanePlan((2,), {Group(0, "t2"): 2, Group(0, "t3"): 1})

    # The parts that were left are still there, so that the lane is still slow. Nothing more moves.
    moved = tenants_of([Group(plan.moves.get(group, group.lane), group.cohort) for group in groups])
    assert plan_moves(moved, groups, (0, 1, 2), bounds, slow=(0,)) == LanePlan()
    assert plan_moves(tenants_of([*groups]), groups, (0, 1), LaneBounds(100, 9, slow=40), slow=(0,)) == LanePlan()


PARTS = st.dictionaries(
    st.builds(Group, st.integers(0, 3), st.sampled_from([f"t{number}" for number in range(40)] + ["r7", "r30"])),
    st.integers(0, 400),
    min_size=1,
)


SLOW = st.sets(st.integers(0, 3))


def after(
    parts: Mapping[Group, int],
    groups: Sequence[Group],
    lanes: Sequence[int],
    bounds: LaneBounds,
    slow: Collection[int] = (),
) -> LanePlan:
    return plan_moves(tenants_of(groups), parts, lanes, bounds, slow)


@given(PARTS, st.integers(1, 1_000))
def test_with_enough_lanes_one_plan_suffices_and_only_lanes_with_one_cohort_stay_full(
    parts: dict[Group, int], full: int
) -> None:
    groups, bounds = [*parts], LaneBounds(full, 4 + len(parts))
    plan = after(parts, groups, range(4), bounds)
    moved = [group._replace(lane=plan.moves.get(group, group.lane)) for group in groups]
    assert len({*moved}) == len(groups)
    again = after(parts, moved, range(4 + len(plan.created)), bounds)
    assert (again.created, again.moves) == ((), {})
    on_lane = [group.lane for group in moved]
    assert all(on_lane.count(lane) == 1 for lane in again.stuck)


@given(PARTS, st.integers(1, 1_000), st.integers(4, 12), SLOW)
def test_with_few_lanes_repeated_plans_come_to_an_end(
    parts: dict[Group, int], full: int, most_lanes: int, slow: set[int]
) -> None:
    groups, lanes, bounds = [*parts], 4, LaneBounds(full, most_lanes, slow=100)
    for _ in range(len(parts) + 2):
        plan = after(parts, groups, range(lanes), bounds, slow)
        if not plan.moves:
            break
        groups = [group._replace(lane=plan.moves.get(group, group.lane)) for group in groups]
        lanes += len(plan.created)
        assert lanes <= most_lanes
    assert not plan.moves


@pytest.mark.parametrize(
    ("new_tenants", "retention_days", "parts_a_day"), [(1, 10, 4), (5, 30, 2), (0, 60, 1), (10, 30, 1)]
)
def test_lanes_of_a_growing_installation_stay_below_the_bound(
    new_tenants: int, retention_days: int, parts_a_day: int
) -> None:
    """Each day, new tenants with a cohort of their own come to a random lane, and each cohort gets some parts. The
    first hundred come together on the first day, to one lane."""
    bounds, rng = LaneBounds(1_000, 500), Random(retention_days)
    groups, lanes = [Group(0, f"t{number}") for number in range(100)], [0]
    stored: dict[tuple[Group, int], int] = {}
    most = 0
    for day in range(2 * retention_days):
        groups += [Group(rng.choice(lanes), f"t{len(groups) + number}") for number in range(new_tenants)]
        stored = {(group, since): count for (group, since), count in stored.items() if since > day - retention_days}
        stored |= {(group, day): parts_a_day for group in groups}
        parts, of_lanes = Counter[Group](), Counter[int]()
        for (group, _), count in stored.items():
            parts[group] += count
            of_lanes[group.lane] += count
        most = max(most, *of_lanes.values())
        plan = after(parts, groups, lanes, bounds)
        groups = [group._replace(lane=plan.moves.get(group, group.lane)) for group in groups]
        lanes += plan.created
    # Tenants that move leave their parts behind, and those that stay get more.
    assert bounds.full < most <= 3 * bounds.full
    assert sum(stored.values()) > 3 * bounds.full
