"""The names of plans in the API."""

from enum import StrEnum


class Plan(StrEnum):
    """A way to read a page. `auto` lets the service choose."""

    auto = "auto"
    in_order = "in_order"
    two_phase = "two_phase"
    windowed = "windowed"


class RangePlan(StrEnum):
    """A plan that reads a whole range, or each window of `windowed`. Its name is also the name of a Plan."""

    in_order = Plan.in_order.value
    two_phase = Plan.two_phase.value
