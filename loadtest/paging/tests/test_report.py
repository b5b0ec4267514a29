"""A pass that is not exact, a page that costs too much or a record that was not stored fails the run."""

from dataclasses import replace

import pytest

from loadtest.paging.measure import Pass
from loadtest.paging.report import PagingReport, plain

EXACT = Pass("desc", 20, 2000, 0, 0, 10.0, 20, 15.0)


def test_exact_passes_of_everything_are_enough() -> None:
    report = PagingReport(2000, 2000, 5, (EXACT, EXACT))

    assert report.passed
    assert (
        plain(report)["passes"]
        == [
            {
                "order": "desc",
                "pages": 20,
                "seen": 2000,
                "missing": 0,
                "out_of_order": 0,
                "first_page_ms": 10.0,
                "late_page": 20,
                "late_page_ms": 15.0,
                "ratio": 1.5,
            }
        ]
        * 2
    )


@pytest.mark.parametrize(
    "worse",
    [
        replace(EXACT, missing=1),
        replace(EXACT, out_of_order=1),
        replace(EXACT, seen=0),
        replace(EXACT, late_page_ms=15.1),
    ],
)
def test_one_pass_that_is_worse_fails_the_run(worse: Pass) -> None:
    assert not PagingReport(2000, 2000, 5, (EXACT, worse)).passed


def test_a_record_that_was_not_stored_fails_the_run() -> None:
    assert plain(PagingReport(2000, 1999, 5, (EXACT, EXACT)))["passed"] is False
