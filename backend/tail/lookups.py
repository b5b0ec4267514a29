"""Makes slow Kafka requests on a separate thread, so that the thread that feeds tails never waits for them."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import structlog
from confluent_kafka import KafkaError

from backend.tail.group import TailedQuery
from backend.tail.topic_reader import TopicReader, topic_id
from kit.errors import Internal, LogsieveError
from kit.settings import Settings
from schema.coordinates import TopicId

log = structlog.get_logger()

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Found:
    """The topic's identity, its number of partitions, and the end offsets of some of them."""

    topic: TopicId
    partitions: int
    ends: Mapping[int, int]


class Lookups:
    """Answers one request after another, with a consumer that is made for the first request."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._thread = ThreadPoolExecutor(1, "tail-lookups")
        self._reader: TopicReader | None = None
        self._is_closing = False

    def topic_and_ends(
        self, query: TailedQuery, then: Callable[[Found | LogsieveError], None], is_wanted: Callable[[], bool]
    ) -> None:
        """Looks up the topic and the end offsets of all partitions that can have messages of the query's tenant."""

        def read(reader: TopicReader) -> Found:
            topic, count = topic_id(self._settings), reader.partitions()
            wanted = query.partitions(count)
            return Found(topic, count, {each: end for each, (_, end) in reader.ends(wanted).items()})

        self._submit(read, then, is_wanted)

    def topic(self, then: Callable[[Found | LogsieveError], None]) -> None:
        """Looks up the topic and its number of partitions."""
        self._submit(lambda reader: Found(topic_id(self._settings), reader.partitions(), {}), then)

    def count(self, then: Callable[[int | LogsieveError], None]) -> None:
        """Looks up the number of partitions."""
        self._submit(lambda reader: reader.partitions(), then)

    def ends(self, partition: int, then: Callable[[tuple[int, int] | LogsieveError], None]) -> None:
        """Looks up the first offset that Kafka still has in the partition, and the offset after the last one."""
        self._submit(lambda reader: reader.ends([partition])[partition], then)

    def close(self) -> None:
        """Drops the requests that have not started, and waits for the running one."""
        self._is_closing = True
        self._thread.submit(self._end)
        self._thread.shutdown(wait=True)

    def _submit(
        self,
        question: Callable[[TopicReader], _T],
        then: Callable[[_T | LogsieveError], None],
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        """Runs `question` on the look-up thread and calls `then` with the answer or the error.

        Does nothing if the answer is no longer wanted when the thread reaches it.
        """

        def answer() -> None:
            if self._is_closing or not is_wanted():
                return
            try:
                found: _T | LogsieveError = question(self._opened())
            except LogsieveError as error:
                found = error
            except Exception:  # an error of one request must not end the thread
                log.exception("a Kafka request for live tails failed")
                found = Internal("the start of the tail could not be read from Kafka; connect again")
            then(found)

        self._thread.submit(answer)

    def _opened(self) -> TopicReader:
        if self._reader is None:
            self._reader = TopicReader(self._settings, _ignored)
        return self._reader

    def _end(self) -> None:
        if self._reader is not None:
            self._reader.close()


def _ignored(_: KafkaError) -> None:
    """Ignores errors of the consumer, because every request raises its own errors."""
