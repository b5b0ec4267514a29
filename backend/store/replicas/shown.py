"""Remembers the records that the pages of a search showed, so that the next page is not read from a replica that lacks
them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

from kit.errors import InvalidCursor
from schema.columns import Record
from schema.coordinates import INDEX_BITS, OFFSET_BITS, PARTITION_BITS, POSITION_BITS

BEHIND: Final = (
    "every replica of ClickHouse that answers lacks records that earlier searches found. Searches work again when a"
    " loader has caught up; sent logs are safe in Kafka."
)
UNREAD: Final = (
    "Kafka did not answer, so it is not known which replica of ClickHouse has the records that earlier searches found."
    " Searches work again when Kafka or the replica that was read before is back."
)


@dataclass(frozen=True, slots=True)
class Shown:
    """The replicas that were read, and the last message of each topic partition of which a record was shown.

    A message is the upper 96 bits of its records' ids: topic epoch, partition, leader epoch, offset. Messages are in
    ascending order.
    """

    replicas: tuple[int, ...]
    """Number of the replica that was read for all shards, or one number for each shard, in order of the shards."""
    messages: tuple[int, ...] = ()

    def with_records(self, replicas: Sequence[int], records: Iterable[Record]) -> Self:
        """Returns a copy to which the records of another page are added. `replicas` has the replica of each shard that
        the page was read from."""
        last = dict[int, int]()
        for message in (*self.messages, *(record.id >> INDEX_BITS for record in records)):
            last[message >> POSITION_BITS] = max(message, last.get(message >> POSITION_BITS, 0))
        different = tuple(replicas) if len(set(replicas)) > 1 else (replicas[0],)
        return type(self)(different, tuple(sorted(last.values())))

    def replica_of(self, shard: int) -> int | None:
        """Returns the replica that was read for a shard; None if the shard was not read."""
        if len(self.replicas) == 1:
            return self.replicas[0]
        return self.replicas[shard] if shard < len(self.replicas) else None

    def of_partitions(self, has: Callable[[int], bool]) -> Self:
        """Returns a copy with the messages of those partitions for which `has` returns true."""
        return replace(self, messages=tuple(each for each in self.messages if has(_partition(each))))

    def is_in(self, stored: Mapping[int, int], epoch: int) -> bool:
        """Returns whether a replica has all shown messages. `stored` has the offsets before which the replica has all
        messages.

        `epoch` is the epoch of the topic of these offsets. Every replica has the messages of earlier topics.
        """
        return all(
            message >> (POSITION_BITS + PARTITION_BITS) != epoch
            or stored.get(_partition(message), 0) > message & ((1 << OFFSET_BITS) - 1)
            for message in self.messages
        )

    def require_replicas(self, count: int) -> None:
        """Raises InvalidCursor for a replica that does not exist. There are `count`, numbered from 0."""
        if unknown := [each for each in self.replicas if each >= count]:
            raise InvalidCursor(
                f"the cursor names replica {unknown[0]} of ClickHouse, and there are {count}, counted from 0: the"
                " cursor was changed, or the replica was removed since; start the search again without a cursor"
            )

    def require_possible(self, intended: Mapping[int, int], epoch: int) -> None:
        """Raises InvalidCursor if no replica can have had all messages. `intended` has the offsets from which on no
        replica has a message, `epoch` is the epoch of their topic."""
        if not self.is_in(intended, epoch):
            raise InvalidCursor(
                "the cursor names a record that no replica of ClickHouse has: the cursor was changed, or an operator"
                " has set back the offsets of loaders since; start the search again without a cursor"
            )


NOTHING_SHOWN = Shown((0,))


def _partition(message: int) -> int:
    return (message >> POSITION_BITS) & ((1 << PARTITION_BITS) - 1)
