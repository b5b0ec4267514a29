"""Decoded rows as predicates look at them."""

from backend.language.words import spaced
from schema.log_columns import LogColumns


class Rows:
    """Columns, and each body as words are searched in it from when it is first asked for.

    Predicates over the same message share one, so that a body is folded once however many terms ask for words.
    """

    __slots__ = ("_spaced_bodies", "columns")

    def __init__(self, columns: LogColumns) -> None:
        self.columns = columns
        self._spaced_bodies: dict[int, bytes] = {}

    def spaced_body(self, row: int) -> bytes:
        """`spaced` of the row's body."""
        known = self._spaced_bodies.get(row)
        if known is None:
            known = self._spaced_bodies[row] = spaced(self.columns.body[row])
        return known
