"""Paging's result: records missed, and what a late page costs."""

from typing import Final

from loadtest.paging.measure import Pass
from loadtest.report.findings import Findings, Row

_ORDERS: Final = {"desc": "newest first", "asc": "oldest first"}


class PagingFindings(Findings):
    goal: float
    records: int
    arrived: int
    passes: tuple[Pass, ...]

    def headline(self) -> tuple[Row, ...]:
        found = []
        for each in self.passes:
            wrong = each.missing + each.out_of_order
            order = _ORDERS[each.order]
            found += [
                Row(f"missing or twice in {each.pages:,} pages, {order}", str(wrong), "0", wrong == 0),
                Row(
                    f"page {each.late_page:,} ({each.late_page_ms:.1f} ms) over page 1 ({each.first_page_ms:.1f} ms)",
                    f"{each.ratio:.2f}",
                    f"at most {self.goal:g}",
                    each.ratio <= self.goal,
                ),
            ]
        return tuple(found)
