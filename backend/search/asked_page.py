"""A page between question and answer: where the next one begins, and what this one cost."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.language.nodes import Node
from backend.logs.schemas import Stats
from backend.search.cursor import Cursor
from backend.search.schemas import Progress
from backend.store.execute import Row
from backend.store.plans.question import PageQuestion
from backend.store.plans.reader import Planned
from backend.store.plans.step import Step
from backend.store.stored_record import record_id


@dataclass(frozen=True, slots=True)
class AskedPage:
    """The question asks for one record more than the page has; `canonical` is the text of the query `node`."""

    question: PageQuestion
    node: Node
    canonical: str

    @property
    def page_rows(self) -> int:
        return self.question.limit - 1

    def next_cursor(self, rows: Sequence[Row]) -> str | None:
        """The cursor behind the page, where there is a record more. Of each row, timestamp and id are enough."""
        if len(rows) <= self.page_rows:
            return None
        question, last = self.question, rows[self.page_rows - 1]
        scope = question.scope
        return Cursor(self.canonical, question.order, scope.tenant_id, scope.time_range, record_id(last)).encode()


@dataclass(frozen=True, slots=True)
class FoundPage:
    """The rows of a page, the cursor of the next one, and what the page cost."""

    rows: Sequence[Row]
    next_cursor: str | None
    stats: Stats


class Tally:
    """Adds up what the steps of a page cost."""

    def __init__(self, planned: Planned) -> None:
        self._planned = planned
        self._elapsed_ms = 0.0
        self._rows_read = self._bytes_read = self._rows_selected = self._windows = 0

    def add(self, step: Step) -> None:
        answer = step.answer
        self._elapsed_ms += answer.elapsed_ms
        self._rows_read += answer.rows_read
        self._bytes_read += answer.bytes_read
        self._rows_selected += answer.rows_selected
        self._windows += 1

    def progress(self) -> Progress:
        return Progress(
            windows=self._windows,
            rows_read=self._rows_read,
            bytes_read=self._bytes_read,
            elapsed_ms=self._elapsed_ms,
        )

    def stats(self) -> Stats:
        """Of the steps so far."""
        extent = self._planned.extent
        return Stats(
            elapsed_ms=self._elapsed_ms,
            rows_read=self._rows_read,
            bytes_read=self._bytes_read,
            granules_total=extent.granules,
            granules_read=extent.granules_of(self._rows_selected),
            plan=self._planned.choice.plan,
            windows=self._windows,
        )
