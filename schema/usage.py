"""Makes the rows of table `usage`: counts the records in Kafka's messages by tenant and minute of arrival."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from schema.envelope import Envelope

ACCEPTED = "accepted"
"""Outcome of accepted records. Every other outcome is a reason of schema.refusals.Refusal."""

MINUTE_NS = 60 * 10**9

TABLE = "usage"
COLUMNS: tuple[tuple[str, str], ...] = (
    ("tenant_id", "UInt32"),
    ("minute", "DateTime('UTC')"),
    ("outcome", "LowCardinality(String)"),
    ("requests", "UInt64"),
    ("records", "UInt64"),
    ("bytes", "UInt64"),
)


@dataclass(frozen=True, slots=True, order=True)
class UsageKey:
    """Key under which records are counted together. `minute` counts from the Unix epoch."""

    tenant_id: int
    minute: int
    outcome: str


@dataclass(slots=True)
class UsageCount:
    """Counts of one key.

    `size`: for accepted requests, bytes of their messages in Kafka (OTLP protobuf); for refused requests, the bytes
    that were announced or read.
    """

    requests: int = 0
    records: int = 0
    size: int = 0

    def add(self, other: "UsageCount") -> None:
        self.requests += other.requests
        self.records += other.records
        self.size += other.size

    def without(self, other: "UsageCount") -> "UsageCount":
        return UsageCount(self.requests - other.requests, self.records - other.records, self.size - other.size)


@dataclass(slots=True)
class Usage:
    """Counts of many messages. They are a pure function of the messages, so a repeated batch has the same counts."""

    counts: dict[UsageKey, UsageCount] = field(default_factory=dict)

    def add_message(self, envelope: Envelope, records: int, size: int) -> None:
        """Counts one message of `size` bytes, its records, and the refusals that it reports."""
        if records:
            minute = envelope.received_at // MINUTE_NS
            self._add(UsageKey(envelope.tenant_id, minute, ACCEPTED), UsageCount(1, records, size))
        for each in envelope.refusals:
            key = UsageKey(envelope.tenant_id, each.minute, each.reason)
            self._add(key, UsageCount(each.requests, each.records, each.size))

    def update(self, other: "Usage") -> None:
        for key, count in other.counts.items():
            self._add(key, count)

    def without(self, messages: "Usage") -> "Usage":
        """Returns the counts without those of some of the messages. Keys without counts are left out."""
        left = {key: count.without(messages.counts.get(key, UsageCount())) for key, count in self.counts.items()}
        return Usage({key: count for key, count in left.items() if count != UsageCount()})

    def columns(self) -> list[list[object]]:
        """Returns one list per column of COLUMNS. Their order does not depend on the order of the messages."""
        return [list(column) for column in zip(*self._rows(), strict=True)]

    def _rows(self) -> Iterator[Iterable[object]]:
        for key, count in sorted(self.counts.items(), key=lambda entry: entry[0]):
            yield key.tenant_id, key.minute * 60, key.outcome, count.requests, count.records, count.size

    def _add(self, key: UsageKey, count: UsageCount) -> None:
        self.counts.setdefault(key, UsageCount()).add(count)
