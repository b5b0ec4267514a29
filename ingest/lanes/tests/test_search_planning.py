"""Tests which lanes count as slow."""

import pytest

from ingest.lanes.search_planning import LaneSearches, slow_lanes


@pytest.mark.parametrize(
    ("searches", "share"),
    [
        (LaneSearches(0, 0.0, 0.0), 0.0),
        (LaneSearches(1_000, 14.0, 20.0), 0.7),
        # Times by the clock are converted to CPU time only roughly.
        (LaneSearches(1_000, 21.0, 20.0), 1.0),
    ],
)
def test_planning_has_a_share_of_the_cpu_time(searches: LaneSearches, share: float) -> None:
    assert searches.planning_share == pytest.approx(share)


@pytest.mark.parametrize(
    ("searches", "most_percent", "slow"),
    [
        (LaneSearches(1_000, 14.0, 20.0), 69.0, {3}),
        (LaneSearches(1_000, 14.0, 20.0), 71.0, set()),
        (LaneSearches(1_000, 21.0, 20.0), 100.0, set()),
        # Little CPU time.
        (LaneSearches(400, 7.0, 9.9), 50.0, set()),
    ],
)
def test_a_lane_is_slow_if_moves_would_help(searches: LaneSearches, most_percent: float, slow: set[int]) -> None:
    assert slow_lanes({3: searches}, most_percent) == slow
