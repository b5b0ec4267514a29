from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.retention.partitions import MARGIN, TablePartition, past_retention

DAY = date(2026, 3, 10)
DAYS = {"r7": 7, "r30": 30, "t5": 1}


def partition(cohort: str, day: date = DAY) -> TablePartition:
    return TablePartition("logs_0", f"{cohort}{day}", cohort, day, rows=1, bytes=1)


@pytest.mark.parametrize(
    ("now", "dropped"),
    [
        (datetime(2026, 3, 12, 0, 59, tzinfo=UTC), []),
        (datetime(2026, 3, 12, 1, 0, tzinfo=UTC), ["t5"]),
        (datetime(2026, 3, 18, 0, 59, 59, tzinfo=UTC), ["t5"]),
        (datetime(2026, 3, 18, 1, 0, tzinfo=UTC), ["r7", "t5"]),
        (datetime(2026, 4, 10, 1, 0, tzinfo=UTC), ["r7", "r30", "t5"]),
    ],
)
def test_a_day_goes_an_hour_after_its_last_moment_is_past_retention(now: datetime, dropped: list[str]) -> None:
    every = [partition(cohort) for cohort in ("r7", "r30", "t5", "stranger")]

    assert [each.cohort for each in past_retention(every, DAYS, now)] == dropped


@given(
    st.dates(date(2000, 1, 1), date(2099, 1, 1)),
    st.sampled_from(sorted(DAYS)),
    st.one_of([st.timedeltas(-reach, reach) for reach in (timedelta(days=2), timedelta(hours=2))]),
)
def test_a_day_is_dropped_exactly_when_its_last_moment_is_not_kept_any_longer(
    day: date, cohort: str, beyond: timedelta
) -> None:
    """`beyond` is the time between the end of the retention of the last moment and now. Half of the examples lie around
    the end, because many days would not show a wrong hour."""
    last_moment = datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1, microseconds=-1)
    now = last_moment + timedelta(days=DAYS[cohort]) + beyond

    dropped = past_retention([partition(cohort, day)], DAYS, now)

    assert bool(dropped) == (beyond > MARGIN)
