"""Which plan reads a page: by what the filter reads, what the tables have indexed, and what the server can do."""

from dataclasses import dataclass
from typing import Final

from backend.store.compile.filter import Filter
from backend.store.plans.capabilities import Capabilities
from backend.store.plans.extent import Extent
from backend.store.plans.plan import Plan

WIDE_COLUMNS: Final = frozenset({"body", "attributes", "resource"})
"""Columns that cost far more to read than all others together."""


@dataclass(frozen=True, slots=True)
class PagePlan:
    """How a page is read, and why."""

    plan: Plan
    """The plan that callers are told."""
    inside: Plan
    """What reads a range at once: the plan itself, or what `windowed` reads each window with."""
    why: str
    extent: Extent
    """How much there is where the page is looked for."""


def choose(matching: Filter, table: Capabilities, extent: Extent, asked: Plan) -> PagePlan:
    """Returns the plan that was asked for; with `auto` the one that is expected to read the least."""
    inside, why_inside = _inside(matching, table)
    if asked in (Plan.in_order, Plan.two_phase):
        return PagePlan(asked, asked, "the request asks for it", extent)
    why_windows = "the request asks for it" if asked is Plan.windowed else _why_windows(matching, table)
    if why_windows is None:
        return PagePlan(inside, inside, why_inside, extent)
    why = f"{why_windows}; within each window {inside.value}, because {why_inside}"
    return PagePlan(Plan.windowed, inside, why, extent)


def _inside(matching: Filter, table: Capabilities) -> tuple[Plan, str]:
    if table.shards > 1:
        # Lazy materialization does not reach over Distributed tables (ClickHouse #89769).
        if wide := _read_to_find(matching, table):
            return Plan.in_order, f"each of the {table.shards} shards reads {wide} to find the rows at all"
        return Plan.two_phase, f"each of the {table.shards} shards would send whole rows to choose the page from"
    if table.is_lazy:
        return Plan.in_order, "rows are stored in the order of pages and the server fetches wide columns last"
    return Plan.two_phase, "the server would fetch wide columns of rows that are not on the page"


def _read_to_find(matching: Filter, table: Capabilities) -> str:
    """The wide columns that already the keys of the page cost; empty where narrow columns and indexes know them."""
    wide = matching.columns & WIDE_COLUMNS
    if wide == {"body"} and matching.prunes and table.finds_words:
        return ""
    return ", ".join(sorted(wide))


def _why_windows(matching: Filter, table: Capabilities) -> str | None:
    """Why a range should not be read at once; None where an index knows the rows at little cost."""
    wide = matching.columns & WIDE_COLUMNS
    if not wide:
        return None
    if not matching.prunes:
        return f"no index answers the filter, which reads {', '.join(sorted(wide))}"
    if "body" in wide and not table.finds_words:
        return "the index on words has a filter for each granule, and only those of a window are read"
    return None
