"""Chooses the plan that reads a page, from the columns of the filter, the tables' indexes and the server's features."""

from dataclasses import dataclass
from typing import Final

from backend.store.compile.filter import Filter
from backend.store.plans.capabilities import Capabilities
from backend.store.plans.extent import Extent
from backend.store.plans.plan import Plan, RangePlan

WIDE_COLUMNS: Final = frozenset({"body", "attributes", "resource"})
"""Columns that cost far more to read than all other columns together."""

_PAIR_COLUMNS: Final = frozenset({"attributes", "resource"})
"""Columns from which ClickHouse makes the pairs of names and values where the index on them does not decide."""


@dataclass(frozen=True, slots=True)
class PagePlan:
    """The plan of a page, the reason for it, and an estimate of the rows to search."""

    plan: Plan
    """The plan that the API's answers name."""
    inside: RangePlan
    """The plan that reads one range: the plan itself, or the plan that reads each window of `windowed`."""
    why: str
    extent: Extent
    """Estimated number of rows and granules in the range of the page."""
    is_chosen: bool = True
    """False if the request names the plan."""
    counts_from_now: bool = True
    """True if windows of a range that ends after now count from now, because few records come after now."""


def choose(matching: Filter, table: Capabilities, extent: Extent, requested: Plan) -> PagePlan:
    """Returns the requested plan. For `auto`, returns the plan that is expected to read the least."""
    inside, why_inside = _inside(table)
    if requested in (Plan.in_order, Plan.two_phase):
        return PagePlan(requested, RangePlan(requested.value), "the request names it", extent, is_chosen=False)
    why_windows = "the request names it" if requested is Plan.windowed else _why_windows(matching, table)
    if why_windows is None:
        return PagePlan(Plan(inside.value), inside, why_inside, extent)
    why = f"{why_windows}; within each window {inside.value}, because {why_inside}"
    return PagePlan(Plan.windowed, inside, why, extent, is_chosen=requested is Plan.auto)


def _inside(table: Capabilities) -> tuple[RangePlan, str]:
    if table.is_lazy:
        return RangePlan.in_order, "rows are stored in the order of pages and the server fetches wide columns last"
    return RangePlan.two_phase, "the server would fetch wide columns of rows that are not on the page"


def _why_windows(matching: Filter, table: Capabilities) -> str | None:
    """Returns the reason to read a range in windows. Returns None if an index finds the rows at little cost."""
    clause = matching.clause
    wide = clause.columns & WIDE_COLUMNS
    if clause.reads_pairs and not clause.prunes:
        wide |= _PAIR_COLUMNS
    if not wide:
        return None
    if not clause.prunes:
        return f"no index answers the filter, which reads {', '.join(sorted(wide))}"
    if "body" in wide and not table.finds_words:
        return "the index on words has a filter for each granule, and a window reads only its own filters"
    return None
