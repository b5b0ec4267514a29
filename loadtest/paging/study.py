"""Declares `logsieve loadtest paging`: its options, results and goals."""

from typing import Annotated, ClassVar, Final

import typer

from loadtest.bench import Bench
from loadtest.report.report import Part, Report, Row, at_most, none_of
from loadtest.study import Study

GOAL: Final = 1.5
"""Largest permitted ratio of the time of a late page to the time of the first page."""

_ORDERS: Final = {"desc": "newest first", "asc": "oldest first"}


class Pass(Part):
    """Result of reading all pages in one order while records arrived."""

    order: str
    pages: int
    seen: int
    missing: int
    out_of_order: int
    """Pairs of successive records that are not in strict order, or are the same record."""
    first_page_ms: float
    late_page: int
    late_page_ms: float

    @property
    def ratio(self) -> float:
        return self.late_page_ms / self.first_page_ms

    @property
    def exact(self) -> bool:
        return self.missing == 0 and self.out_of_order == 0 and self.seen > 0


class PagingReport(Report):
    amounts: ClassVar[tuple[str, ...]] = ("records",)
    records: int
    stored: int | None = None
    """Records that were read before others arrived. It should equal `records`, the number of records sent."""
    passes: tuple[Pass, ...]

    def headline(self) -> tuple[Row, ...]:
        everything = self.stored in (None, self.records)
        found = []
        for each in self.passes:
            what = f"missing or twice in {each.pages:,} pages, {_ORDERS[each.order]}"
            times = f"page {each.late_page:,} ({each.late_page_ms:.1f} ms) over page 1 ({each.first_page_ms:.1f} ms)"
            found += [
                none_of(what, each.missing + each.out_of_order, also=each.exact and everything),
                at_most(times, each.ratio, GOAL),
            ]
        return tuple(found)


def run(
    bench: Bench,
    records: Annotated[int, typer.Option(min=1000, help="Records that are stored before the study starts.")] = 100_000,
    rate: Annotated[int, typer.Option(min=1, help="Records per second that arrive while pages are read.")] = 1_000,
) -> PagingReport:
    """Read all pages of 100 in both directions while records arrive; no record may be missed or returned twice."""
    from loadtest.paging.measure import measure_paging

    with bench.stack("api", "receiver", "loader") as stack:
        return measure_paging(bench, stack, records, rate)


STUDY: Final = Study(
    "paging",
    "Reading all pages while records arrive",
    PagingReport,
    run,
    smoke=("--records", "2000", "--rate", "200"),
)
