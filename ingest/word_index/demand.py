"""Decides for which partition the index on searched words is built: a partition whose searches have used as much CPU
time as the build is estimated to need.

Without knowing later searches, no rule has a better worst case: builds need at most as much CPU time as the searches
before them. This is the ski rental problem (Karlin et al., Competitive Snoopy Caching, 1988).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from ingest.word_index.searches import Searches, TablePartition

BUILD_SECONDS_PER_BYTE: Final = 16e-9
"""CPU time of a build for each byte of the records before compression, in seconds: docs/decisions/0055."""

BUILD_SECONDS_PER_PART: Final = 0.01
"""CPU time of a build for each part of the table, in seconds, because the files of each part get hard links:
docs/decisions/0047."""

MIN_BUILD_SECONDS: Final = 1.0
"""Smallest CPU time that a build is taken to need, in seconds, so that small partitions are not built again and
again."""


def build_seconds(lacking_bytes: int, parts: int) -> float:
    """Returns the estimated CPU time of a build in seconds. `lacking_bytes` are the uncompressed bytes of records that
    lack the index, `parts` the parts of the whole table."""
    return max(MIN_BUILD_SECONDS, lacking_bytes * BUILD_SECONDS_PER_BYTE + parts * BUILD_SECONDS_PER_PART)


class Demand:
    """CPU time, in seconds, that searches have used in each partition since its last build was noticed."""

    def __init__(self) -> None:
        self._seconds = defaultdict[TablePartition, float](float)

    @property
    def partitions(self) -> frozenset[TablePartition]:
        """Partitions in which searches have used CPU time."""
        return frozenset(self._seconds)

    def add(self, searches: Iterable[Searches], lacking: Mapping[TablePartition, int]) -> None:
        """Divides the time of each search between its partitions, by their bytes without the index."""
        for each in searches:
            total = sum(lacking.get(partition, 0) for partition in each.partitions)
            for partition in each.partitions:
                if size := lacking.get(partition, 0):
                    self._seconds[partition] += each.cpu_seconds * size / total

    def forget(self, partition: TablePartition) -> None:
        """Sets the time of a partition to 0, because the index is built or cannot be built."""
        self._seconds.pop(partition, None)

    def due(self, lacking: Mapping[TablePartition, int], parts: Mapping[str, int]) -> TablePartition | None:
        """Returns the partition with the largest ratio of CPU time of its searches to CPU time of its build, if that
        ratio is at least 1. `lacking` are bytes without the index, `parts` the number of parts of each table."""
        ratios = {
            partition: self._seconds[partition] / build_seconds(size, parts.get(partition.table, 0))
            for partition, size in lacking.items()
            if size and partition in self._seconds
        }
        most = max(ratios, key=lambda partition: (ratios[partition], partition), default=None)
        return most if most is not None and ratios[most] >= 1 else None
