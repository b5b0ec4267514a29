"""The parameters of searches, histograms and explanations."""

from pydantic import Field

from backend.logs.parameters import SearchParameters
from backend.store.order import Order
from backend.store.plans.plan import Plan


class ExplainParameters(SearchParameters):
    """Parameters of an explanation: those of a page without its cursor."""

    order: Order = Field(Order.desc, description="Newest or oldest first.")
    limit: int = Field(100, ge=1, le=1000, description="Most records on the page.")
    plan: Plan = Field(Plan.auto, description="How to read; auto chooses. The page is the same.")


class PageParameters(ExplainParameters):
    """Parameters of a page."""

    cursor: str | None = Field(None, description="`next_cursor` of the page before.")


class HistogramParameters(SearchParameters):
    """Parameters of a histogram."""

    buckets: int = Field(60, ge=1, le=1000, description="Most whole buckets to return.")
