"""The parameters of searches, histograms and explanations."""

from pydantic import Field

from backend.logs.parameters import SearchParameters
from backend.store.order import Order
from backend.store.plans.plan import Plan


class ExplainParameters(SearchParameters):
    """Parameters of an explanation: the parameters of a page without its cursor."""

    order: Order = Field(Order.desc, description="`desc`: newest first; `asc`: oldest first.")
    limit: int = Field(100, ge=1, le=1000, description="Largest number of records on the page.")
    plan: Plan = Field(
        Plan.auto, description="The plan that reads the page. `auto` chooses one; all give the same page."
    )


class PageParameters(ExplainParameters):
    """Parameters of a page."""

    cursor: str | None = Field(None, description="`next_cursor` of the previous page.")


class HistogramParameters(SearchParameters):
    """Parameters of a histogram."""

    buckets: int = Field(60, ge=1, le=1000, description="Largest number of whole buckets to return.")
