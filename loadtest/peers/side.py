"""The interface of a side of the comparison: a running log store."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from loadtest.peers.connection import Address
from loadtest.peers.questions import Answer, Question


@dataclass(frozen=True, slots=True)
class Stored:
    """Records that a side has, after everything was sent."""

    records: int
    lost: int
    doubled: int


class Side(Protocol):
    """A running log store: it takes OTLP, and answers the questions over HTTP."""

    @property
    def name(self) -> str:
        """Name of the side in the report."""
        ...

    @property
    def version(self) -> str:
        """Version of the programs, as they say it."""
        ...

    def otlp(self) -> tuple[Address, str]:
        """Returns the address of OTLP over HTTP, and the path."""
        ...

    def processes(self) -> Mapping[str, int]:
        """Returns the pids of all processes that take part, by name."""
        ...

    def flush(self) -> None:
        """Asks the store to write what it holds back, where searches do not find it otherwise."""
        ...

    def count(self) -> int:
        """Returns how many records a search finds now."""
        ...

    def working(self) -> bool:
        """Returns whether the store still merges, flushes or sends records."""
        ...

    def stored(self, sent: int) -> Stored:
        """Returns what became of the `sent` records."""
        ...

    def disk(self) -> int:
        """Returns the bytes that the stored records and their indexes take."""
        ...

    def queue(self) -> int:
        """Returns the bytes that a log before the store takes: Kafka's topics, or a write-ahead log."""
        ...

    def ask(self, question: Question) -> bytes:
        """Returns the bytes of the answer."""
        ...

    def read(self, question: Question, answer: bytes) -> Answer:
        """Returns the answer in the form that all sides share."""
        ...
