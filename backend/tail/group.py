"""A group of tails of one tenant with the same query. They share one position and get the same bytes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from backend.language.steps import TextSteps
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
    """Number of instructions in the query's regular expressions, which count for LOGSIEVE_TAIL_MAX_STEPS_PER_TENANT."""
    text_steps: TextSteps = field(default=TextSteps(), compare=False)
    """Steps that the query takes for each character of a record's texts."""
    ways: int = DEFAULT_WAYS
    """Number of keys of the tenant's messages."""

    def partitions(self, count: int) -> frozenset[int]:
        """Returns the partitions that can have the tenant's messages, in a topic with `count` partitions."""
        return partitions_of(self.tenant_id, count, self.ways)

    def events(self, message: TailedMessage, position: TailPosition, rows: range) -> Iterator[Piece]:
        """Yields the events of matching records among these rows of a message of the tenant. Leaves out rows that were
        sent before `position`."""
        sent = position.rows_sent(message.partition, message.offset)
        records = message.matching(self.predicate, range(max(rows.start, sent), rows.stop))
        return log_events(records, position.inside(message.partition, message.offset, 0), self.digest)


@dataclass(slots=True)
class Group:
    """The tails of one query, and the partitions that can have its tenant's messages."""

    query: TailedQuery
    partitions: frozenset[int]
    members: set[TailQueue] = field(default_factory=set)

    def position(self, topic_epoch: int, time_ns: int, offsets: Mapping[int, int]) -> TailPosition:
        """Returns the position of all members when the reader is at these offsets."""
        return TailPosition(topic_epoch, time_ns, {each: offsets[each] for each in sorted(self.partitions)})
