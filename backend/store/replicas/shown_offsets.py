"""The offsets up to which statements can have shown the records of each partition."""

from collections.abc import Mapping


class ShownOffsets:
    """For each partition of the topic, the first offset that no statement can have shown."""

    def __init__(self, shards: int) -> None:
        self._shards = shards
        self._ends: dict[int, int] = {}
        self._epoch: int | None = None
        """Epoch of the topic whose offsets these are."""

    def begin(self, epoch: int) -> bool:
        """Forgets all offsets if they are of another topic than the one of `epoch`. Returns whether they were."""
        if epoch == self._epoch:
            return False
        self._epoch = epoch
        self._ends.clear()
        return True

    def note(self, shard: int, ends: Mapping[int, int]) -> None:
        """Notes that statements over the shard can have shown the messages before these offsets."""
        for number, end in ends.items():
            if number % self._shards == shard:
                self._ends[number] = max(end, self._ends.get(number, 0))

    def with_ends(self, shard: int, ends: Mapping[int, int]) -> dict[int, int]:
        """Returns the offsets of the shard's partitions, as if `ends` had been noted too."""
        return {
            number: max(self._ends.get(number, 0), ends.get(number, 0))
            for number in self._ends.keys() | ends.keys()
            if number % self._shards == shard
        }
