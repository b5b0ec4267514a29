"""Selections: conditions that reduce candidate rows to matching ones, and their combinations."""

from collections.abc import Callable, Sequence

from backend.predicate.rows import Rows

Selection = Callable[[Rows, list[int]], list[int]]
"""A condition: takes candidate row numbers and returns the matching ones in their order."""


def everything(_rows: Rows, candidates: list[int]) -> list[int]:
    """Selects all candidates."""
    return candidates


def every(selections: Sequence[Selection]) -> Selection:
    """Returns the selection of rows that all selections match.

    Each selection tests only the rows that all earlier selections have matched.
    """

    def select(rows: Rows, candidates: list[int]) -> list[int]:
        for selection in selections:
            if not candidates:
                break
            candidates = selection(rows, candidates)
        return candidates

    return select


def either(selections: Sequence[Selection]) -> Selection:
    """Returns the selection of rows that any selection matches.

    Each selection tests only the rows that no earlier selection has matched.
    """

    def select(rows: Rows, candidates: list[int]) -> list[int]:
        taken: set[int] = set()
        left = candidates
        for selection in selections:
            if not left:
                break
            taken.update(selection(rows, left))
            left = [row for row in left if row not in taken]
        return [row for row in candidates if row in taken]

    return select


def without(selection: Selection) -> Selection:
    """Returns the selection of rows that the given one does not match."""

    def select(rows: Rows, candidates: list[int]) -> list[int]:
        excluded = set(selection(rows, candidates))
        return [row for row in candidates if row not in excluded]

    return select
