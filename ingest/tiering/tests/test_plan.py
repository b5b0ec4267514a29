"""Tests which partitions move to the cold volume."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from ingest.retention.partitions import TablePartition
from ingest.tiering.plan import TierBounds, plan_moves
from ingest.tiering.volumes import Disk, Tiers

TODAY = date(2026, 11, 24)
NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)
HOT, S3 = Disk("default", True, total=1_000, free=500), Disk("s3", False)


def partition(age: int, size: int = 10) -> TablePartition:
    """Returns a partition of the day `age` days ago."""
    day = TODAY - timedelta(days=age)
    return TablePartition("logs_0", f"r30-{day}", "r30", day, rows=1, bytes=size)


def ages(
    hot: Iterable[TablePartition], tiers: Tiers, after_days: int, target: float = 0.9, now: datetime = NOW
) -> list[int]:
    """Returns the ages in days of the partitions that move, in their order."""
    moved = plan_moves(hot, tiers, TierBounds(after_days, target, 0.95), now)
    return [(TODAY - each.day).days for each in moved]


def hot_disk(free: int, removing: int = 0) -> Disk:
    return Disk("default", True, 1_000, free, removing)


def cold_disk(free: int, total: int = 2_000) -> Disk:
    return Disk("cold", True, total, free)


def tiers(hot: Disk, cold: Disk = S3) -> Tiers:
    return Tiers("cold", (cold,), (hot,))


def test_a_day_moves_when_it_ended_this_many_days_ago() -> None:
    days = [partition(age) for age in (0, 1, 2, 3, 4)]
    assert ages(days, tiers(HOT), 2) == [4, 3]
    midnight = datetime(2026, 11, 25, tzinfo=UTC)
    assert ages(days, tiers(HOT), 2, now=midnight - timedelta(seconds=1)) == [4, 3]
    assert ages(days, tiers(HOT), 2, now=midnight) == [4, 3, 2]


def test_with_0_days_nothing_moves_while_the_hot_disk_has_room() -> None:
    assert ages([partition(400)], tiers(HOT), 0) == []


def test_the_oldest_days_move_early_until_the_hot_disk_is_under_its_target() -> None:
    days = [partition(age) for age in (0, 1, 2, 3, 4, 5)]
    assert ages(days, tiers(hot_disk(75)), 0) == [5, 4, 3]
    assert ages(days, tiers(hot_disk(75, removing=10)), 0) == [5, 4]
    assert ages(days, tiers(hot_disk(75, removing=25)), 0) == []
    assert ages(days, tiers(hot_disk(75)), 4) == [5, 4, 3]


def test_today_never_moves() -> None:
    assert ages([partition(0), partition(1)], tiers(hot_disk(0)), 0) == [1]


def test_nothing_moves_that_would_fill_the_cold_disk_beyond_its_limit() -> None:
    days = [partition(9, size=20), partition(8, size=30), partition(7, size=5), partition(6, size=1)]
    assert ages(days, tiers(HOT, cold_disk(free=125)), 1) == [9, 7]
    assert ages(days, tiers(HOT, cold_disk(free=0, total=0)), 1) == []


def test_a_full_hot_disk_may_fill_the_cold_one_above_the_target() -> None:
    # Together, the disks are under their target, so no tenant loses a day: moves are the only way to make room.
    assert ages([partition(1)], tiers(hot_disk(40), cold_disk(free=201)), 0) == [1]


def test_folders_of_one_disk_have_no_early_moves_and_no_limit() -> None:
    same = cold_disk(free=5, total=1_000)
    assert ages([partition(3), partition(1)], tiers(hot_disk(0), same), 2) == [3]


def test_two_disks_of_one_size_are_two_disks() -> None:
    assert ages([partition(3), partition(1)], tiers(hot_disk(0), cold_disk(free=500, total=1_000)), 2) == [3, 1]


sizes = st.integers(0, 100)


@given(
    st.lists(st.tuples(st.integers(0, 30), sizes), max_size=12),
    st.integers(0, 30),
    st.integers(0, 1_000),
    st.integers(0, 500),
)
def test_old_days_all_move_and_early_moves_are_the_oldest_and_no_more_than_needed(
    stored: list[tuple[int, int]], after_days: int, free: int, removing: int
) -> None:
    hot = [partition(age, size) for age, size in stored]
    disk = hot_disk(free, removing)
    moved = plan_moves(hot, tiers(disk), TierBounds(after_days, 0.9, 0.95), NOW)
    kept = [each for each in hot if each not in moved]
    moved_ages = [(TODAY - each.day).days for each in moved]
    assert moved_ages == sorted(moved_ages, reverse=True)
    assert 0 not in moved_ages
    excess = max(0, disk.used - 900)
    early = [each for each in moved if not after_days or (TODAY - each.day).days <= after_days]
    if early:
        # Without the last of them, the disk would still exceed its target.
        assert sum(each.bytes for each in moved[:-1]) < excess
    assert all((TODAY - each.day).days <= after_days for each in kept if after_days)
    if sum(each.bytes for each in moved) < excess:
        assert all(each.day == TODAY for each in kept)
