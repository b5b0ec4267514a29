"""The parameters of searches, histograms and explanations."""

from pydantic import Field

from backend.logs.parameters import SearchParameters
from backend.store.order import Order
from backend.store.plans.plan import Plan


class PlanParameters(SearchParameters):
    """Parameters of a page, and of an explanation of one."""

    order: Order = Field(Order.desc, description="`desc`: newest first; `asc`: oldest first.")
    limit: int = Field(100, ge=1, le=1000, description="Largest number of records on the page.")
    plan: Plan = Field(
        Plan.auto, description="The plan that reads the page. `auto` chooses one; all give the same page."
    )


class ExplainParameters(PlanParameters):
    """Parameters of an explanation: the parameters of a page without its cursor."""

    analyze: bool = Field(
        False, description="True: reads the page as a search does, and measures each of its statements."
    )


class PageParameters(PlanParameters):
    """Parameters of a page."""

    cursor: str | None = Field(None, description="`next_cursor` of the previous page.")


class HistogramParameters(SearchParameters):
    """Parameters of a histogram."""

    buckets: int = Field(
        60,
        ge=1,
        le=1000,
        description="Buckets have the smallest round width that is at least the length of the range divided by this "
        "number. The answer may have one bucket more, because the first and the last may extend beyond the range.",
    )
    by: str | None = Field(
        None,
        description="Field whose values are counted, as it is written in a query, without quotes. If left out, records "
        "are counted by severity.",
    )
