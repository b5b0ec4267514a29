"""Decoded rows in the form that predicates read."""

from backend.language.words import spaced
from backend.predicate.long_texts import LongTexts
from schema.log_columns import LogColumns


class Rows:
    """Columns, and caches of texts prepared for searches.

    Predicates over the same message share one, so that each body and each long attribute is folded only once.
    """

    __slots__ = ("_spaced_bodies", "columns", "long_texts")

    def __init__(self, columns: LogColumns) -> None:
        self.columns = columns
        self.long_texts = LongTexts()
        self._spaced_bodies: dict[int, bytes] = {}

    def spaced_body(self, row: int) -> bytes:
        """Returns the row's body as `backend.language.words.spaced` prepares it. Prepares each body once."""
        known = self._spaced_bodies.get(row)
        if known is None:
            known = self._spaced_bodies[row] = spaced(self.columns.body[row])
        return known
