"""The two orders in which records are read."""

from enum import StrEnum


class Order(StrEnum):
    """Newest first or oldest first; ties by id the same way."""

    desc = "desc"
    asc = "asc"
