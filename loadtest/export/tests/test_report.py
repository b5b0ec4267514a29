"""A client that got too little or for which the backend grew too much fails the run."""

from dataclasses import asdict, replace

import pytest

from loadtest.export.measure import GOAL_BYTES, Growth
from loadtest.export.report import ExportReport, plain

SLOW = Growth("slow", 10, 20, 2.0, GOAL_BYTES - 1, True)


def test_a_backend_that_stays_small_is_enough() -> None:
    assert plain(ExportReport(10, (SLOW, SLOW))) == {
        "passed": True,
        "goal_bytes": GOAL_BYTES,
        "records": 10,
        "clients": [asdict(SLOW)] * 2,
    }


@pytest.mark.parametrize("worse", [replace(SLOW, grown_bytes=GOAL_BYTES), replace(SLOW, complete=False)])
def test_one_client_that_is_worse_fails_the_run(worse: Growth) -> None:
    assert not ExportReport(10, (SLOW, worse)).passed
