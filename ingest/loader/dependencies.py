"""The objects that a delivery writes to, as far as it needs them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ingest.loader.claim import Claim
from ingest.loader.lane_parts import BeforeSending, PartsSink
from ingest.loader.tenant_shards import OneShard, TenantShards
from schema.coordinates import Coordinates, LogPosition, TopicId
from schema.dead_letter import DeadLetter
from schema.otlp import LogMessage
from schema.usage import Usage


class Committer(Protocol):
    """The part of ingest.loader.commits.CommitQueue that delivery needs."""

    def commit(self, claim: Claim, partition: int, position: LogPosition, metadata: str) -> None: ...


class Sink(PartsSink, Protocol):
    """The part of ingest.loader.insert.Inserter that delivery needs."""

    def insert(
        self, shard: int, lane: int, messages: Sequence[LogMessage], token: str, before_sending: BeforeSending
    ) -> bytes: ...

    def insert_counts(
        self, shard: int, lane: int, counts: bytes, token: str, before_sending: BeforeSending
    ) -> None: ...

    def insert_usage(self, shard: int, usage: Usage, token: str) -> None: ...


class DeadLetterWriter(Protocol):
    """The part of ingest.loader.dead_letters.DeadLetterProducer that delivery needs."""

    def write(self, dead_letters: list[DeadLetter]) -> None: ...


Report = Callable[[int, str | None], None]
"""Receives a partition and the reason why its batch waits; None when it no longer waits."""


class Refused(Protocol):
    """The part of ingest.loader.insert_limit_letters.InsertLimitLetters that delivery needs."""

    def letter(self, topic: TopicId, coordinates: Coordinates, reason: str) -> DeadLetter: ...


@dataclass(frozen=True, slots=True)
class Dependencies:
    """The objects that a delivery uses: those that it writes to, the callback for its state, and the reader of the
    topic's present id."""

    committer: Committer
    sink: Sink
    dead_letters: DeadLetterWriter
    refused: Refused
    report: Report
    read_topic_id: Callable[[], TopicId]
    tenant_shards: TenantShards = field(default_factory=OneShard)
