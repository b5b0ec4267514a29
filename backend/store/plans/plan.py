"""The ways to read a page, by the names that the API has for them."""

from enum import StrEnum


class Plan(StrEnum):
    """How a page is read. `auto` lets the service choose."""

    auto = "auto"
    in_order = "in_order"
    two_phase = "two_phase"
    windowed = "windowed"
