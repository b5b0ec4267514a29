"""Tests of the time from which rates are computed."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from backend.logs.parameters import SearchParameters
from backend.stats.tests.services import stats_service
from backend.store.rows import Cost
from backend.store.tests.fake_log_store import AnyStatement, FakeLogStore
from kit.clock import ManualClock
from kit.settings import Settings
from schema.control.directory import Tenant
from schema.control.tenant_lanes import TenantLanes

SECOND = 10**9
NOW_NS = 20_000 * 86_400 * SECOND
TENANT = Tenant(1, "acme", TenantLanes(1), "r7", ("r7",), 7, 4096, longest_retention_days=7)
RECORDS = 7_200


class Counted(FakeLogStore):
    """Answers every count with the same number of records, whatever its range."""

    def answer(self, _statement: AnyStatement) -> tuple[Sequence[Sequence[Any]], Cost]:
        return [(RECORDS,)], Cost()


@pytest.mark.parametrize(
    ("start_ns", "end_ns", "seconds"),
    [
        (NOW_NS - 3_600 * SECOND, None, 3_600),
        (NOW_NS - 3_600 * SECOND, NOW_NS - 1_800 * SECOND, 1_800),
        (NOW_NS - 3_600 * SECOND, NOW_NS + 1_800 * SECOND, 5_400),
        (NOW_NS, None, 3_601),
    ],
)
def test_a_rate_without_an_end_counts_the_seconds_until_now(start_ns: int, end_ns: int | None, seconds: int) -> None:
    settings = Settings(future_tolerance_seconds=3_600)
    service = stats_service(settings, Counted([]), ManualClock(NOW_NS))
    requested = SearchParameters(query="| stats rate()", start=start_ns, end=end_ns)
    answer = asyncio.run(service.stats(TENANT, requested))
    assert answer.rows[0][0] == pytest.approx(RECORDS / seconds)
