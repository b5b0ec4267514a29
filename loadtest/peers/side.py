"""Base classes of the sides of the comparison, each of which is a running log store."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from clickhouse_connect.driver.client import Client

from loadtest.corpus.records import NUMBER
from loadtest.peers.connection import Address, Connection
from loadtest.peers.corpus import PeerCorpus
from loadtest.peers.questions import Answer, Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Side(ABC):
    """A running log store, which receives records over OTLP and answers questions over HTTP. For one thread."""

    name: ClassVar[str]
    """Name of the side in the report."""
    version: str
    """Version that the side's programs report."""
    otlp: tuple[Address, str]
    """Address and path of the endpoint for OTLP over HTTP."""
    pids: Mapping[str, int]
    """Pids of all processes of the side, by name."""
    http: Connection
    """Connection over which questions are sent."""
    corpus: PeerCorpus
    queues: tuple[Path, ...] = ()
    """Folders of a log before the store, such as the topics of Kafka's brokers or a write-ahead log."""

    def flush(self) -> None:
        """Makes buffered records searchable, if the store does not do so by itself."""
        return

    @abstractmethod
    def count(self) -> int:
        """Returns the number of records that a search finds now."""

    @abstractmethod
    def distinct(self) -> int:
        """Returns the number of stored records, each counted once even if it is stored twice."""

    @abstractmethod
    def working(self) -> bool:
        """Returns whether the store still merges, flushes or sends records."""

    @abstractmethod
    def disk(self) -> int:
        """Returns the bytes of disk space that the stored records and their indexes take."""

    @abstractmethod
    def fetch(self, question: Question) -> bytes:
        """Sends a question and returns the body of the answer."""

    @abstractmethod
    def read(self, question: Question, answer: bytes) -> Answer:
        """Decodes a body that `fetch` returned into the form that is the same for all sides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClickHouseSide(Side):
    """A side that stores its records in ClickHouse."""

    attributes: ClassVar[str]
    """Name of the column with a record's attributes."""
    client: Client
    database: str
    rows: str
    """The rows of the study, as the text after FROM."""

    def count(self) -> int:
        return self._number(f"SELECT count() FROM {self.rows}")

    def distinct(self) -> int:
        return self._number(f"SELECT uniqExact({self.attributes}['{NUMBER}']) FROM {self.rows}")

    def working(self) -> bool:
        return self._number(f"SELECT count() FROM system.merges WHERE database = '{self.database}'") > 0

    def disk(self) -> int:
        return self._number(
            f"SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = '{self.database}'"
        )

    def _number(self, sql: str) -> int:
        return int(self.client.query(sql).result_rows[0][0])
