"""Base class of the sides of the comparison, each of which is a running log store."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from loadtest.peers.connection import Address, Connection
from loadtest.peers.corpus import PeerCorpus
from loadtest.peers.questions import Answer, Question


@dataclass(frozen=True, slots=True)
class Stored:
    """Numbers of records that a side has stored, lost and stored twice, after all were sent."""

    records: int
    lost: int
    doubled: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Side(ABC):
    """A running log store, which receives records over OTLP and answers questions over HTTP. For one thread."""

    name: ClassVar[str]
    """Name of the side in the report."""
    flush_path: ClassVar[str] = ""
    """Path of the request that makes buffered records searchable. Empty if the store does so by itself."""
    version: str
    """Version that the side's programs report."""
    otlp: tuple[Address, str]
    """Address and path of the endpoint for OTLP over HTTP."""
    pids: Mapping[str, int]
    """Pids of all processes of the side, by name."""
    http: Connection
    """Connection over which questions are sent."""
    corpus: PeerCorpus

    def flush(self) -> None:
        """Makes buffered records searchable, if the store does not do so by itself."""
        if self.flush_path:
            self.http.post(self.flush_path, b"", "text/plain")

    def queue(self) -> int:
        """Returns the bytes of disk space of a log before the store, such as Kafka's topics or a write-ahead log."""
        return 0

    @abstractmethod
    def count(self) -> int:
        """Returns the number of records that a search finds now."""

    @abstractmethod
    def working(self) -> bool:
        """Returns whether the store still merges, flushes or sends records."""

    @abstractmethod
    def stored(self, sent: int) -> Stored:
        """Returns how many of the `sent` records are stored, lost and stored twice."""

    @abstractmethod
    def disk(self) -> int:
        """Returns the bytes of disk space that the stored records and their indexes take."""

    @abstractmethod
    def fetch(self, question: Question) -> bytes:
        """Sends a question and returns the body of the answer."""

    @abstractmethod
    def read(self, question: Question, answer: bytes) -> Answer:
        """Decodes a body that `fetch` returned into the form that is the same for all sides."""
