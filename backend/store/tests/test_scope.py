"""Tests of the ranges of requests: ends that are left out, and the errors for empty ranges."""

import pytest

from backend.store.scope import OpenRange, Scopes, TimeRange
from kit.clock import DAY_NS, ManualClock
from kit.errors import InvalidRequest
from kit.settings import Settings
from schema.control.directory import Tenant
from schema.control.tenant_lanes import TenantLanes

NOW_NS = 20_000 * DAY_NS
SECOND_NS = 10**9
OLDEST_NS = NOW_NS - 8 * DAY_NS
END_NS = NOW_NS + 61 * SECOND_NS
TENANT = Tenant(1, "acme", TenantLanes(1), "r7", ("r7",), 7, 4096, longest_retention_days=7)
SCOPES = Scopes(Settings(future_tolerance_seconds=60), ManualClock(NOW_NS))


@pytest.mark.parametrize(
    ("requested", "expected"),
    [
        (OpenRange(), TimeRange(OLDEST_NS, END_NS)),
        (OpenRange(start_ns=END_NS - 1), TimeRange(END_NS - 1, END_NS)),
        (OpenRange(end_ns=OLDEST_NS + 1), TimeRange(OLDEST_NS, OLDEST_NS + 1)),
        (OpenRange(1, 2), TimeRange(1, 2)),
    ],
)
def test_an_end_that_is_left_out_is_the_end_of_the_retention(requested: OpenRange, expected: TimeRange) -> None:
    assert SCOPES.range(TENANT, requested) == expected


@pytest.mark.parametrize(
    ("requested", "error"),
    [
        (
            OpenRange(end_ns=OLDEST_NS),
            "end is 2024-09-26T00:00:00.000000000Z, but no logs before 2024-09-26T00:00:00.000000000Z are kept: give a "
            "later end",
        ),
        (
            OpenRange(start_ns=END_NS),
            "start is 2024-10-04T00:01:01.000000000Z, but no logs from 2024-10-04T00:01:01.000000000Z on are accepted "
            "yet: give an earlier start",
        ),
        (
            OpenRange(2 * SECOND_NS, SECOND_NS),
            "start 1970-01-01T00:00:02.000000000Z must be before end 1970-01-01T00:00:01.000000000Z: give an earlier "
            "start or a later end",
        ),
    ],
)
def test_an_error_names_the_end_that_was_given(requested: OpenRange, error: str) -> None:
    with pytest.raises(InvalidRequest) as raised:
        SCOPES.range(TENANT, requested)

    assert raised.value.detail == error
