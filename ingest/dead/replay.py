"""Puts dead letters back on the topic from which they came, each only once."""

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from confluent_kafka import KafkaException, Producer

from ingest.dead.deleted_tenants import DeletedTenants
from ingest.dead.letter_tenant import tenant_of
from ingest.dead.producer import LARGEST_BYTES
from ingest.dead.read import Replayed, StoredLetter, read_dead_topic, replaces
from kit.errors import NotFound, Unavailable
from kit.kafka import kafka_connection
from kit.settings import Settings
from schema.dead_letter import DeadLetter, Origin, replayed_headers
from schema.tenant_partitions import PARTITIONER

WRITE_SECONDS: Final = 30.0
"""Longest time, in seconds, of one step of a transaction, and of the transaction that replays one letter. Kafka then
ends a transaction whose process was killed. Until that, loaders read no later message of its partitions."""


@dataclass(slots=True)
class ReplayResult:
    """Result of one replay.

    `before` has the dead letters that an earlier replay sent, each with the time of that replay, in milliseconds
    since the Unix epoch. `deleted` are those of deleted tenants. `without_value` are those that have no value, most
    likely because Kafka had deleted or lost the message before the loader could copy it. Neither kind is replayed.
    """

    replayed: list[Origin] = field(default_factory=list)
    before: dict[Origin, int] = field(default_factory=dict)
    deleted: list[Origin] = field(default_factory=list)
    without_value: list[Origin] = field(default_factory=list)


def replay_dead_letters(
    settings: Settings, wanted: Sequence[tuple[int, int]] | None, deleted_tenants: DeletedTenants
) -> ReplayResult:
    """Replays dead letters: the latest one of each of these partitions and offsets; None means all letters.
    Skips those that were replayed before, those of deleted tenants, and those without a message.

    Each letter and its marker are written in one transaction. Starting a second replay aborts the first, so no letter
    is replayed twice, even if a replay is killed. Raises NotFound if one of `wanted` does not exist; then none is
    replayed. Raises Unavailable when Kafka does not answer.
    """
    producer = Producer(_config(settings), logger=logging.getLogger("librdkafka"))
    try:
        # This comes before any read. It ends another replay, whose last marker is then either readable or never
        # written.
        producer.init_transactions(WRITE_SECONDS)
        return _replay(settings, producer, wanted, deleted_tenants)
    except KafkaException as error:
        raise Unavailable(f"dead letters cannot be replayed: {error.args[0].str()}") from error


def _replay(
    settings: Settings,
    producer: Producer,
    wanted: Sequence[tuple[int, int]] | None,
    deleted_tenants: DeletedTenants,
) -> ReplayResult:
    outcome = ReplayResult()
    chosen, markers = _choose(settings, wanted)
    # Dead letters are read again rather than kept in memory, because they may be large and many.
    for each in read_dead_topic(settings):
        if not isinstance(each, StoredLetter) or each.letter.origin not in chosen:
            continue
        origin = each.letter.origin
        chosen.remove(origin)
        if origin in markers:
            outcome.before[origin] = markers[origin]
            continue
        if tenant_of(each.letter) in deleted_tenants:
            outcome.deleted.append(origin)
            continue
        if each.letter.value is None:
            outcome.without_value.append(origin)
            continue
        _put_back(settings, producer, each.letter)
        outcome.replayed.append(origin)
    return outcome


def _choose(settings: Settings, wanted: Sequence[tuple[int, int]] | None) -> tuple[set[Origin], Mapping[Origin, int]]:
    """Returns the origins of the wanted dead letters, and the times of all earlier replays, in milliseconds since the
    Unix epoch. Chooses the latest one of several letters with the same partition and offset."""
    # A dict keeps the order of the first letters of each origin, and leaves out repetitions.
    origins: dict[Origin, None] = {}
    markers: dict[Origin, int] = {}
    for each in read_dead_topic(settings):
        match each:
            case StoredLetter(letter, _):
                origins.setdefault(letter.origin)
            case Replayed(origin, at_ms):
                markers[origin] = at_ms
    if wanted is None:
        return set(origins), markers
    latest: dict[tuple[int, int], Origin] = {}
    for origin in origins:
        place = (origin.partition, origin.offset)
        if place not in latest or replaces(origin, latest[place]):
            latest[place] = origin
    for partition, offset in wanted:
        if (partition, offset) not in latest:
            raise NotFound(f"there is no dead letter {partition}:{offset}; `logsieve dead list` shows all")
    return {latest[each] for each in wanted}, markers


def _put_back(settings: Settings, producer: Producer, letter: DeadLetter) -> None:
    producer.begin_transaction()
    try:
        producer.produce(settings.kafka_topic, letter.value, key=letter.key, headers=letter.headers)
        marker = replayed_headers(letter.origin)
        producer.produce(settings.kafka_dead_topic, None, key=letter.origin.key, headers=marker)
        producer.commit_transaction(WRITE_SECONDS)
    except KafkaException:
        # Loaders read no later message of its partitions while the transaction is open.
        with suppress(KafkaException):
            producer.abort_transaction(WRITE_SECONDS)
        raise


def _config(settings: Settings) -> dict[str, str | int]:
    return {
        **kafka_connection(settings),
        "transaction.timeout.ms": int(WRITE_SECONDS * 1000),
        "transactional.id": f"logsieve-replay-{settings.kafka_dead_topic}",
        "partitioner": PARTITIONER,
        "compression.type": "zstd",
        "message.max.bytes": LARGEST_BYTES,
    }
