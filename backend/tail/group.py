"""A group of tails of one tenant with the same query. They share one position and get the same bytes."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from backend.predicate.predicate import Predicate
from backend.tail.events import Piece, log_events
from backend.tail.messages import TailedMessage
from backend.tail.position import TailPosition
from backend.tail.queue import TailQueue
from schema.tenant_partitions import DEFAULT_WAYS, partitions_of


@dataclass(frozen=True, slots=True)
class TailedQuery:
    """The query of a tail. Two objects are equal if `tenant_id`, `canonical` and `ways` are equal. `digest` is made of
    `tenant_id` and `canonical`."""

    tenant_id: int
    canonical: str
    digest: bytes
    predicate: Predicate = field(compare=False)
    steps: int = field(default=0, compare=False)
    """Number of instructions in the query's regular expressions, which each record of the tenant may cost."""
    ways: int = DEFAULT_WAYS
    """Number of keys of the tenant's messages."""

    def partitions(self, count: int) -> frozenset[int]:
        """Returns the partitions that can have the tenant's messages, in a topic with `count` partitions."""
        return partitions_of(self.tenant_id, count, self.ways)

    def events(self, message: TailedMessage, position: TailPosition) -> Piece | None:
        """Returns the events of the message's matching records that were not sent before `position`, or None."""
        if message.tenant_id != self.tenant_id:
            return None
        sent = position.rows_sent(message.partition, message.offset)
        records = message.matching(self.predicate, sent)
        if not records:
            return None
        offsets = {**position.offsets, message.partition: message.offset}
        before = TailPosition(position.topic_epoch, position.time_ns, offsets, message.partition)
        return log_events(records, before, self.digest)


@dataclass(slots=True)
class Group:
    """The tails of one query, and the partitions that can have its tenant's messages."""

    query: TailedQuery
    partitions: frozenset[int]
    members: set[TailQueue] = field(default_factory=set)

    def position(self, topic_epoch: int, time_ns: int, offsets: Mapping[int, int]) -> TailPosition:
        """Returns the position of all members when the reader is at these offsets."""
        return TailPosition(topic_epoch, time_ns, {each: offsets[each] for each in sorted(self.partitions)})
