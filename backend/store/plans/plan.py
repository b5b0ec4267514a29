"""The names of plans in the API."""

from enum import StrEnum


class Plan(StrEnum):
    """A way to read a page. `auto` lets the service choose."""

    auto = "auto"
    in_order = "in_order"
    two_phase = "two_phase"
    windowed = "windowed"
