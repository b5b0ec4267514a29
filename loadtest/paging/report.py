"""Paging's report: records missed, and what a late page costs."""

from typing import Final

from pydantic import computed_field

from loadtest.report.report import Part, Report, Row, at_most, none_of

GOAL: Final = 1.5
"""Largest cost of a late page over the first."""

_ORDERS: Final = {"desc": "newest first", "asc": "oldest first"}


class Pass(Part):
    """All pages in one direction, read while records arrived."""

    order: str
    pages: int
    seen: int
    missing: int
    out_of_order: int
    """Neighbours that do not strictly follow each other; a record seen twice is one of them."""
    first_page_ms: float
    late_page: int
    late_page_ms: float

    @computed_field  # type: ignore[prop-decorator]
    @property
    def ratio(self) -> float:
        return self.late_page_ms / self.first_page_ms

    @property
    def exact(self) -> bool:
        return self.missing == 0 and self.out_of_order == 0 and self.seen > 0


class PagingReport(Report):
    goal: float = GOAL
    records: int
    stored: int | None = None
    """Records that were read of those sent before; they should be all."""
    arrived: int
    """Records that came while pages were read."""
    passes: tuple[Pass, ...]

    def headline(self) -> tuple[Row, ...]:
        everything = self.stored in (None, self.records)
        found = []
        for each in self.passes:
            what = f"missing or twice in {each.pages:,} pages, {_ORDERS[each.order]}"
            times = f"page {each.late_page:,} ({each.late_page_ms:.1f} ms) over page 1 ({each.first_page_ms:.1f} ms)"
            found += [
                none_of(what, each.missing + each.out_of_order, also=each.exact and everything),
                at_most(times, each.ratio, self.goal),
            ]
        return tuple(found)
