"""Tests that a run fails for missing or repeated records, a late page that is too slow, or a record not stored."""

import pytest

from loadtest.paging.study import PagingReport, Pass

EXACT = Pass(
    order="desc", pages=20, seen=2000, missing=0, out_of_order=0, first_page_ms=10.0, late_page=20, late_page_ms=15.0
)


def report(*passes: Pass, stored: int = 2000) -> PagingReport:
    return PagingReport(records=2000, stored=stored, passes=passes)


def test_exact_passes_of_everything_are_enough() -> None:
    exact = report(EXACT, EXACT)

    assert exact.passed
    assert [each.ratio for each in exact.passes] == [1.5, 1.5]


@pytest.mark.parametrize("worse", [{"missing": 1}, {"out_of_order": 1}, {"seen": 0}, {"late_page_ms": 15.1}])
def test_one_pass_that_is_worse_fails_the_run(worse: dict[str, float]) -> None:
    assert not report(EXACT, EXACT.model_copy(update=worse)).passed


def test_a_record_that_was_not_stored_fails_the_run() -> None:
    assert not report(EXACT, EXACT, stored=1999).passed
