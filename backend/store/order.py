"""The two orders in which records are read."""

from enum import StrEnum


class Order(StrEnum):
    """Newest first or oldest first. Records with equal timestamps are ordered by id in the same direction."""

    desc = "desc"
    asc = "asc"
