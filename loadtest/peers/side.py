"""Interface of a side of the comparison, which is a running log store."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from loadtest.peers.connection import Address
from loadtest.peers.questions import Answer, Question


@dataclass(frozen=True, slots=True)
class Stored:
    """Numbers of records that a side has stored, lost and stored twice, after all were sent."""

    records: int
    lost: int
    doubled: int


class Side(Protocol):
    """A running log store, which receives records over OTLP and answers questions over HTTP."""

    @property
    def name(self) -> str:
        """Name of the side in the report."""
        ...

    @property
    def version(self) -> str:
        """Version that the side's programs report."""
        ...

    def otlp(self) -> tuple[Address, str]:
        """Returns address and path of the endpoint for OTLP over HTTP."""
        ...

    def processes(self) -> Mapping[str, int]:
        """Returns the pids of all processes of the side, by name."""
        ...

    def flush(self) -> None:
        """Makes buffered records searchable, if the store does not do so by itself."""
        ...

    def count(self) -> int:
        """Returns the number of records that a search finds now."""
        ...

    def working(self) -> bool:
        """Returns whether the store still merges, flushes or sends records."""
        ...

    def stored(self, sent: int) -> Stored:
        """Returns how many of the `sent` records are stored, lost and stored twice."""
        ...

    def disk(self) -> int:
        """Returns the bytes of disk space that the stored records and their indexes take."""
        ...

    def queue(self) -> int:
        """Returns the bytes of disk space of a log before the store, such as Kafka's topics or a write-ahead log."""
        ...

    def fetch(self, question: Question) -> bytes:
        """Sends a question and returns the body of the answer."""
        ...

    def read(self, question: Question, answer: bytes) -> Answer:
        """Decodes a body that `fetch` returned into the form that is the same for all sides."""
        ...
