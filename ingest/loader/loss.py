"""Detects messages that Kafka's retention deleted before they were loaded. Kafka's client skips them silently.

Offsets are also missing if nothing was lost: a transaction ends with a marker, and the messages of an aborted one are
never delivered. The partition's low watermark, the first offset that Kafka still has, distinguishes the two cases.
"""

from collections.abc import Callable, Collection, Mapping

import structlog
from confluent_kafka.admin._listoffsets import OffsetSpec

from ingest.loader.topic_offsets import read_offsets
from kit import metrics
from kit.settings import Settings
from schema.topic import admin

log = structlog.get_logger()

WATERMARK_SECONDS = 5.0
MARKER = 1
"""Number of offsets that a transaction's marker takes. A gap of this many offsets is never reported as a loss, because
a deleted offset may have been that of a marker. Retention deletes whole segments, so real losses are larger."""

LowWatermarks = Callable[[Collection[int]], Mapping[int, int]]
"""Reads the first offset that Kafka still has, by partition. A partition that Kafka did not answer for is left out."""


class LossWatch:
    """Detects messages that Kafka deleted before they were loaded. Logs and counts each loss once. Also logs a
    warning if Kafka has lost messages after it delivered them (docs/decisions/0060-messages-that-kafka-lost.md).

    Keeps the next expected offset of each partition.
    """

    def __init__(self, low_watermarks: LowWatermarks) -> None:
        self._low_watermarks = low_watermarks
        self._next: dict[int, int] = {}

    def assigned(self, starts: Mapping[int, int | None]) -> None:
        """Sets the offsets at which these partitions continue; None means the first offset that Kafka has."""
        low = self._low_watermarks(starts.keys())
        for partition, start in starts.items():
            self._next.pop(partition, None)
            if start is None:
                continue
            # If Kafka does not answer now, the first message shows whether any are missing before it.
            first_kept = max(start, low.get(partition, start))
            self._compare(partition, start, first_kept)
            self._next[partition] = first_kept

    def received(self, partition: int, offset: int) -> None:
        """Notes that the partition delivered this offset."""
        expected = self._next.get(partition, offset)
        if offset < expected:
            log.warning(
                "Kafka has lost messages that it had delivered, and has given their offsets to other messages",
                partition=partition,
                expected=expected,
                first_kept=offset,
            )
        self._examine(partition, expected, offset)
        self._next[partition] = offset + 1

    def ended(self, partition: int, offset: int) -> None:
        """Notes that the partition has no message from the next expected offset to `offset`, its end."""
        expected = self._next.get(partition, offset)
        if offset > expected:
            self._examine(partition, expected, offset)
            self._next[partition] = offset

    def _examine(self, partition: int, expected: int, offset: int) -> None:
        """Finds out why no message came from the expected offset to this one."""
        if offset - expected <= MARKER:
            return
        low = self._low_watermarks([partition]).get(partition)
        if low is None:
            log.warning(
                "offsets are missing, and Kafka does not say why", partition=partition, start=expected, end=offset
            )
        else:
            self._compare(partition, expected, min(low, offset))

    def _compare(self, partition: int, expected: int, first_kept: int) -> None:
        lost = first_kept - expected
        if lost <= MARKER:
            return
        metrics.counter(metrics.LOADER_LOST).add(lost, {"partition": str(partition)})
        log.error(
            "Kafka deleted messages before they were loaded",
            partition=partition,
            expected=expected,
            first_kept=first_kept,
            messages=lost,
        )


def read_low_watermarks(settings: Settings, partitions: Collection[int]) -> dict[int, int]:
    """Returns the first offset that the topic still has, for each partition whose leader answers in time."""
    earliest: OffsetSpec = OffsetSpec.earliest()  # type: ignore[no-untyped-call]  # confluent-kafka has no types here
    low, problems = read_offsets(admin(settings), settings.kafka_topic, partitions, earliest, WATERMARK_SECONDS)
    for partition, reason in problems.items():
        log.warning("the first offset of a partition cannot be read", partition=partition, reason=reason)
    return {partition: position.offset for partition, position in low.items()}
