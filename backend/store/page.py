"""Records of a query in their order, as far as they have been read."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.store.record_id import RecordId
from backend.store.rows import Cost
from backend.store.scope import TimeRange
from schema.columns import Record


@dataclass(frozen=True, slots=True)
class Page:
    """Records found in one window of time, or a whole page of them, and the cost of finding them.

    `ends_window` says that the window has no further matching records. Only a scroll sets it.
    """

    records: Sequence[Record]
    window: TimeRange
    cost: Cost
    next_after: RecordId | None = None
    """Key of the page's last record, if more matching records are known to follow."""
    ends_window: bool = True
