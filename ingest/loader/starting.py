"""Starts each assigned partition as soon as Kafka says where it continues. Other partitions are loaded meanwhile.

A partition waits if it has no leader, or if its leader or the group's coordinator does not answer. The polling loop
tries it again.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Set
from typing import Final

import structlog
from confluent_kafka import Consumer, KafkaException, TopicPartition

from ingest.loader.positions import PositionReader, Start
from ingest.loader.topic_watch import topic_created_again
from kit import metrics
from kit.clock import Clock
from kit.errors import Internal
from schema.coordinates import TopicId

log = structlog.get_logger()

RETRY_SECONDS: Final = 5.0
"""Seconds from the end of one try to start the waiting partitions to the next."""

SEEKS: Final = 20
"""Largest number of seeks of one partition in one try."""

SEEK_SECONDS: Final = 0.05
"""Seconds between two seeks of one partition."""


class StartingPartitions:
    """Assigned partitions that are not loaded yet. For use by the polling thread.

    Nothing of a partition is loaded before its committed position, its intent and its end were read.
    """

    def __init__(
        self,
        consumer: Consumer,
        positions: PositionReader,
        on_started: Callable[[list[Start]], None],
        report: Callable[[int, str | None], None],
        clock: Clock,
    ) -> None:
        """`report` receives a partition and the reason why it waits; None when it no longer waits."""
        self._consumer = consumer
        self._positions = positions
        self._on_started = on_started
        self._report = report
        self._clock = clock
        self._topic: TopicId | None = None
        self._waiting: dict[int, float] = {}
        self._fetched: set[int] = set()
        self._next_try = 0.0

    @property
    def topic(self) -> TopicId:
        """The topic's id. Known when the first partition has started."""
        if self._topic is None:
            raise Internal("no partition has started yet")
        return self._topic

    @property
    def waiting(self) -> Set[int]:
        """The assigned partitions that have not started. Messages of them must be dropped."""
        return self._waiting.keys()

    def assigned(self, partitions: list[TopicPartition]) -> None:
        """Starts the partitions that Kafka answers for; the others wait. Call it in the callback of an assignment.

        Raises Internal if the topic was created again.
        """
        now = self._clock.monotonic()
        self._waiting.update((each.partition, now) for each in partitions)
        if not self._try([each.partition for each in partitions]):
            # Without this call, confluent_kafka would assign all partitions to Kafka's client itself.
            self._consumer.incremental_assign([])

    def retry(self) -> None:
        """Tries to start the waiting partitions if RETRY_SECONDS have passed since the last try. Call it between two
        polls: a partition that was lost meanwhile is then revoked before the first message of it is polled.

        Shows in `logsieve.loader.lag.age` how long they have waited. Raises Internal if the topic was created again.
        """
        now = self._clock.monotonic()
        for partition, since in self._waiting.items():
            metrics.gauge(metrics.LOADER_LAG_SECONDS).set(now - since, {"partition": str(partition)})
        if self._waiting and now >= self._next_try:
            self._try(list(self._waiting))

    def revoked(self, partitions: list[TopicPartition]) -> None:
        """Forgets the partitions and ends their fetches. Call it in the callback of a revocation."""
        numbers = {each.partition for each in partitions}
        # Kafka's client refuses to unassign a partition that was never assigned to it.
        fetched = [each for each in partitions if each.partition in self._fetched]
        self._fetched -= numbers
        for each in numbers:
            self._waiting.pop(each, None)
        self._consumer.incremental_unassign(fetched)

    def _try(self, partitions: list[int]) -> bool:
        """Starts those of the partitions that Kafka answers for. Returns whether Kafka's client was assigned any."""
        read = self._positions.read(self._consumer, {each: self._waiting[each] for each in partitions})
        if read.topic is not None:
            if self._topic not in (None, read.topic):
                raise topic_created_again()
            self._topic = read.topic
        # Assigned explicitly, because the intents belong to the positions that were read.
        new = [each.fetched_from for each in read.starts if each.partition not in self._fetched]
        if new:
            self._consumer.incremental_assign(new)
        unsought = self._seek([each for each in read.starts if each.has_predecessor or each.partition in self._fetched])
        self._fetched.update(each.partition for each in new)
        started = [each for each in read.starts if each.partition not in unsought]
        for each in started:
            del self._waiting[each.partition]
            self._report(each.partition, None)
        self._show({**read.problems, **unsought})
        if started:
            self._on_started(started)
        self._next_try = self._clock.monotonic() + RETRY_SECONDS
        return bool(new)

    def _seek(self, starts: list[Start]) -> dict[int, str]:
        """Makes Kafka's client ask the brokers whether Kafka has lost messages before the starts and given their
        offsets to others (KIP-320). If so, the client continues at the first of these. The client asks after a seek,
        and not after an assignment.

        Returns the partitions that the client has not begun to fetch yet, with the reason. They stay assigned, because
        an `incremental_unassign` outside the callback of a revocation could confirm another revocation, whose callback
        has not run. The client may deliver messages of them before the seek of the next try, so these messages must be
        dropped. The client delivers them again after the seek.
        """
        failed: dict[int, str] = {}
        for number in range(SEEKS):
            if number:
                time.sleep(SEEK_SECONDS)
            failed = {}
            for each in starts:
                try:
                    self._consumer.seek(each.fetched_from)
                except KafkaException as error:
                    failed[each.partition] = error.args[0].str()
            starts = [each for each in starts if each.partition in failed]
            if not starts:
                break
        return failed

    def _show(self, problems: Mapping[int, str]) -> None:
        """Reports and logs why partitions wait."""
        partitions: defaultdict[str, list[int]] = defaultdict(list)
        for partition, reason in sorted(problems.items()):
            partitions[reason].append(partition)
            self._report(partition, f"Kafka does not say where to continue: {reason}")
        for reason, waiting in partitions.items():
            log.warning("partitions cannot be started yet; they are tried again", partitions=waiting, reason=reason)
