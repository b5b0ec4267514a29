"""Tests that a run fails if a client got too few records, or the backend's memory grew too much."""

import pytest

from loadtest.export.study import GOAL_BYTES, ExportReport, Growth

SLOW = Growth(client="slow", records=10, bytes=20, seconds=2.0, grown_bytes=GOAL_BYTES - 1, complete=True)


def test_a_backend_that_stays_small_is_enough() -> None:
    assert ExportReport(records=10, clients=(SLOW, SLOW)).passed


@pytest.mark.parametrize("worse", [{"grown_bytes": GOAL_BYTES}, {"complete": False}])
def test_one_client_that_is_worse_fails_the_run(worse: dict[str, int]) -> None:
    assert not ExportReport(records=10, clients=(SLOW, SLOW.model_copy(update=worse))).passed
