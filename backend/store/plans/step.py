"""What plans give back, piece by piece."""

from dataclasses import dataclass

from backend.store.execute import Answer
from backend.store.scope import TimeRange


@dataclass(frozen=True, slots=True)
class Step:
    """The next rows in the order of pages, and the window of time they were looked for in."""

    answer: Answer
    window: TimeRange
