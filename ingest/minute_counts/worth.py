"""Decides which log tables get minute counts: those with large parts."""

from dataclasses import dataclass
from typing import Final

MIN_PARTS: Final = 10
"""Smallest number of rows of a table that gets minute counts, as a multiple of `rows_per_part`. Fewer rows are counted
in some milliseconds without them."""

MAX_PARTS: Final = 1_000
"""Largest number of active parts of a table that gets minute counts. With minute counts, each part needs 16 KB more of
the server's memory, and loading it takes half as long again."""


@dataclass(frozen=True, slots=True)
class TableSize:
    """A log table on one server, with its number of active parts and their rows."""

    table: str
    parts: int
    rows: int


def is_worth_counting(size: TableSize, rows_per_part: int) -> bool:
    """Returns whether the table gets minute counts: its parts have at least `rows_per_part` rows on average, it has
    rows for at least MIN_PARTS such parts, and it has at most MAX_PARTS parts."""
    return (
        size.rows >= rows_per_part * MIN_PARTS
        and 0 < size.parts <= MAX_PARTS
        and size.rows >= rows_per_part * size.parts
    )
