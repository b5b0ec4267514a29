"""One condition over rows: which of the candidates satisfy it; and how conditions combine."""

from collections.abc import Callable, Sequence

from backend.predicate.rows import Rows

Selection = Callable[[Rows, list[int]], list[int]]
"""Row numbers in, those that match out, in the same order."""


def everything(_rows: Rows, candidates: list[int]) -> list[int]:
    """All candidates."""
    return candidates


def every(selections: Sequence[Selection]) -> Selection:
    """All of them: each tests what those before it left."""

    def select(rows: Rows, candidates: list[int]) -> list[int]:
        for selection in selections:
            if not candidates:
                break
            candidates = selection(rows, candidates)
        return candidates

    return select


def either(selections: Sequence[Selection]) -> Selection:
    """Any of them: each tests what those before it did not take."""

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
    """What the selection does not match."""

    def select(rows: Rows, candidates: list[int]) -> list[int]:
        excluded = set(selection(rows, candidates))
        return [row for row in candidates if row not in excluded]

    return select
