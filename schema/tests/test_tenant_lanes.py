"""Tests which lanes may have a tenant's records at a time."""

import pytest

from schema.control.tenant_lanes import FormerLane, PlacedSince, TenantLanes, lanes_at, last_lane

PLACED = [
    PlacedSince(100, "r30", 30, None),
    PlacedSince(200, "own", 30, 2),
    PlacedSince(300, "r7", 7, None),
    PlacedSince(400, "r7", 7, 5),
]


@pytest.mark.parametrize(
    ("now_ns", "lanes"),
    [
        (199, TenantLanes(1, (2, 5))),
        (200, TenantLanes(2, (5,), (FormerLane(1, 200),))),
        (399, TenantLanes(2, (5,), (FormerLane(1, 200),))),
        (400, TenantLanes(5, (), (FormerLane(1, 200), FormerLane(2, 400)))),
    ],
)
def test_a_move_is_planned_then_current_and_a_change_of_the_cohort_alone_keeps_the_lane(
    now_ns: int, lanes: TenantLanes
) -> None:
    assert lanes_at(now_ns, 1, PLACED) == lanes
    assert last_lane(1, PLACED) == 5


def test_a_lane_that_was_left_is_read_for_records_of_its_time_and_those_that_come_late() -> None:
    lanes = lanes_at(1_000, 1, PLACED)
    assert lanes.of_records_since(0, 50) == (1, 2, 5)
    assert lanes.of_records_since(249, 50) == (1, 2, 5)
    assert lanes.of_records_since(250, 50) == (2, 5)
    assert lanes.of_records_since(450, 50) == (5,)


def test_planned_lanes_are_always_read_because_receivers_may_know_of_a_move_first() -> None:
    assert lanes_at(150, 1, PLACED).of_records_since(10_000, 0) == (1, 2, 5)


def test_a_lane_to_which_a_tenant_returned_is_one_lane() -> None:
    returned = lanes_at(1_000, 1, [*PLACED, PlacedSince(500, "r7", 7, 1)])
    assert returned.of_records_since(0, 0) == (1, 2, 5)
    assert returned.of_records_since(10_000, 0) == (1,)


def test_a_move_to_the_same_lane_leaves_none() -> None:
    assert lanes_at(1_000, 1, [PlacedSince(0, "r30", 30, 1)]) == TenantLanes(1)
