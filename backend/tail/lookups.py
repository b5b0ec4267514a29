"""Makes slow Kafka requests on a separate thread, so that the thread that feeds tails never waits for them."""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import structlog
from confluent_kafka import KafkaError

from backend.tail.group import TailedQuery
from backend.tail.topic_reader import REQUEST_SECONDS, TopicReader, topic_id
from kit.errors import Internal, LogsieveError, Unavailable
from kit.settings import Settings
from schema.coordinates import TopicId
from schema.topic import TopicIdReader

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Found:
    """The topic's identity, its number of partitions, and of some partitions the first offset that Kafka has and the
    offset after the last one."""

    topic: TopicId
    partitions: int
    ends: Mapping[int, tuple[int, int]]

    def changed_from(self, topic: TopicId | None, partitions: int) -> Unavailable | None:
        """Returns the error for tails of a topic with this identity and number of partitions, or None if the topic has
        not changed."""
        if topic != self.topic:
            return Unavailable("the topic was deleted and created again; connect again")
        if partitions != self.partitions:
            # The keys of messages now select other partitions. A tail that resumes also reads these partitions, from a
            # time before the change on.
            return Unavailable("the topic has more partitions now; connect again")
        return None


class Lookups:
    """Answers one request after another, with a consumer that is made for the first request."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._thread = ThreadPoolExecutor(1, "tail-lookups")
        self._ids = TopicIdReader(settings, REQUEST_SECONDS)
        self._reader: TopicReader | None = None
        self._is_closing = False

    def topic_and_ends(
        self, query: TailedQuery, then: Callable[[Found | LogsieveError], None], is_wanted: Callable[[], bool]
    ) -> None:
        """Looks up the topic and the end offsets of all partitions that can have messages of the query's tenant."""
        self._submit(query.partitions, then, is_wanted)

    def topic(self, then: Callable[[Found | LogsieveError], None]) -> None:
        """Looks up the topic and its number of partitions."""
        self._submit(lambda _count: (), then)

    def ends(self, partition: int, then: Callable[[Found | LogsieveError], None]) -> None:
        """Looks up the topic, and the first and the end offset of one partition."""
        self._submit(lambda _count: (partition,), then)

    def close(self) -> None:
        """Drops the requests that have not started. Does not wait for the running one, because Kafka may not answer it
        for seconds. Its consumer is closed after it."""
        self._is_closing = True
        self._thread.submit(self._end)
        self._thread.shutdown(wait=False)

    def _submit(
        self,
        partitions: Callable[[int], Iterable[int]],
        then: Callable[[Found | LogsieveError], None],
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        """Looks up the topic, and the offsets of the partitions that `partitions` returns for their number, on the
        look-up thread. Calls `then` with the answer or the error.

        Does nothing if the answer is no longer wanted when the thread reaches it.
        """

        def answer() -> None:
            if self._is_closing or not is_wanted():
                return
            try:
                found: Found | LogsieveError = self._read(partitions)
            except LogsieveError as error:
                found = error
            except Exception:  # an error of one request must not end the thread
                log.exception("a Kafka request for live tails failed")
                found = Internal("the start of the tail could not be read from Kafka; connect again")
            then(found)

        self._thread.submit(answer)

    def _read(self, partitions: Callable[[int], Iterable[int]]) -> Found:
        reader = self._opened()
        topic, count = topic_id(self._ids), reader.partitions()
        return Found(topic, count, reader.ends(partitions(count)))

    def _opened(self) -> TopicReader:
        if self._reader is None:
            self._reader = TopicReader(self._settings, _ignored)
        return self._reader

    def _end(self) -> None:
        if self._reader is not None:
            self._reader.close()


def _ignored(_: KafkaError) -> None:
    """Ignores errors of the consumer, because every request raises its own errors."""
