"""The page that the search service returns: records, next cursor, cost and hints."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.logs.hint import Hint
from backend.logs.schemas import Stats
from backend.search.cursor import Cursor
from backend.search.schemas import Progress
from backend.store.page import Page
from backend.store.plans.choose import PagePlan
from backend.store.query import Query
from backend.store.replicas.shown import Shown
from backend.store.rows import Cost
from schema.columns import Record


@dataclass(frozen=True, slots=True)
class FoundPage:
    """The records of a page, the cursor of the next page, the cost of this page, and hints if it is empty."""

    records: Sequence[Record]
    next_cursor: str | None
    stats: Stats
    hints: Sequence[Hint]


def next_cursor(query: Query, canonical: str, page: Page, shown: Shown | None) -> str | None:
    """Returns the cursor of the next page; None unless a further record is known to match.

    `shown` is what the pages of the search showed so far, including this page. `canonical` is the query's text in
    canonical form. Printing it takes milliseconds for a long query, so the caller prints it once, outside the event
    loop.
    """
    if page.next_after is None:
        return None
    scope = query.scope
    return Cursor(canonical, query.order, scope.tenant_id, scope.time_range, page.next_after, shown).encode()


def stats_of(plan: PagePlan, cost: Cost) -> Stats:
    """Returns the stats of an answer that was read by the plan."""
    return Stats(
        elapsed_ms=cost.elapsed_ms,
        rows_read=cost.rows_read,
        bytes_read=cost.bytes_read,
        granules_total=plan.extent.granules,
        granules_read=plan.extent.granules_of(cost.rows_selected),
        plan=plan.plan,
        windows=cost.windows,
    )


def progress_of(cost: Cost) -> Progress:
    """Returns the progress of a streamed search whose windows so far had that cost."""
    return Progress(
        windows=cost.windows, rows_read=cost.rows_read, bytes_read=cost.bytes_read, elapsed_ms=cost.elapsed_ms
    )
