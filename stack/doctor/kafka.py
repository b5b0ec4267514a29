"""Checks that Kafka and the leader of each partition answer, and how far the loaders are behind."""

import logging
from collections.abc import Mapping
from contextlib import closing
from typing import Any, Final

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._listoffsets import OffsetSpec

from ingest.loader.topic_offsets import read_offsets
from kit.kafka import configuration_refusal, kafka_connection
from kit.kafka_refusal import KafkaRefusal
from kit.settings import Settings
from schema.committed_offsets import CommittedOffsets
from stack.doctor.finding import Bounds, Finding, Level, graded, of_replica

SECONDS: Final = 5.0
LAG: Final = Bounds(10_000, 1_000_000, "read the loaders' logs and /readyz, or start more loaders")


def kafka_findings(settings: Settings) -> list[Finding]:
    """Returns a finding about the brokers, and if they answer, findings about the replicas and the leaders of the
    topic's partitions and about the loaders' lag."""
    refusal = KafkaRefusal()
    config: dict[str, Any] = {**kafka_connection(settings), "socket.timeout.ms": int(SECONDS * 1000), "log_level": 0}
    config |= {"error_cb": refusal}
    try:
        client = AdminClient(config, logger=logging.getLogger("librdkafka"))
    except KafkaException as error:
        seen = configuration_refusal(error.args[0], settings)
        advice = "restart the receivers, the loaders and the APIs with corrected settings"
        return [Finding("kafka", Level.fail, seen, advice)]
    try:
        topic = client.list_topics(settings.kafka_topic, timeout=SECONDS).topics[settings.kafka_topic]
        if topic.error is not None:
            return [Finding("kafka", Level.fail, topic.error.str(), "run `logsieve migrate`")]
    except KafkaException as error:
        refused = refusal.reason(client)
        first = "correct the settings LOGSIEVE_KAFKA_…" if refused else "start the brokers"
        advice = f"{first}; until then receivers refuse logs, and searches work"
        return [Finding("kafka", Level.fail, f"{settings.kafka_brokers}: {refused or error.args[0].str()}", advice)]
    copies = {number: (len(each.isrs), len(each.replicas)) for number, each in topic.partitions.items()}
    return [
        Finding("kafka", Level.ok, f"{settings.kafka_topic} has {len(copies)} partitions"),
        judge_copies(copies),
        *_partition_findings(client, config, settings, sorted(copies)),
    ]


def judge_copies(copies: Mapping[int, tuple[int, int]]) -> Finding:
    """Rates the replicas of the topic. `copies` has the numbers of replicas in sync and of all, by partition."""
    about = "replicas in Kafka"
    missing = {number: f"{synced} of {all_}" for number, (synced, all_) in copies.items() if synced < all_}
    if not missing:
        least = min((all_ for _, all_ in copies.values()), default=0)
        return Finding(about, Level.ok, f"every partition has all its replicas in sync, at least {least}")
    first = min(missing)
    seen = f"{len(missing)} of {len(copies)} partitions lack replicas: partition {first} has {missing[first]} in sync"
    return Finding(about, Level.warn, seen, "start the brokers that are down, before another one fails")


def judge_lag(lag: Mapping[int, int], where: str = "") -> Finding:
    """Rates the lag, given as the number of messages of each partition that are not loaded. `where` names the replica
    of the store."""
    total = sum(lag.values())
    worst = max(lag, key=lambda partition: lag[partition], default=0)
    seen = f"{total} messages in Kafka are not loaded" + (f", most in partition {worst}" if total else "")
    return graded(f"loaders' lag{where}", total, LAG, seen)


def judge_leaders(partitions: int, problems: Mapping[int, str]) -> Finding:
    """Rates the leaders of the topic's partitions. `problems` has the reason for each partition whose offsets Kafka did
    not return."""
    about = "leaders in Kafka"
    if not problems:
        return Finding(about, Level.ok, "the leader of every partition answers")
    first = min(problems)
    seen = f"{len(problems)} of {partitions} partitions did not answer, so that their lag is unknown"
    advice = "restart the brokers that lead these partitions; until then receivers refuse the logs of their tenants"
    return Finding(about, Level.fail, f"{seen}: partition {first}: {problems[first]}", advice)


def _partition_findings(
    client: AdminClient, config: dict[str, Any], settings: Settings, partitions: list[int]
) -> list[Finding]:
    topic, where = settings.kafka_topic, of_replica(settings)
    earliest: OffsetSpec = OffsetSpec.earliest()  # type: ignore[no-untyped-call]  # confluent-kafka has no types here
    latest: OffsetSpec = OffsetSpec.latest()  # type: ignore[no-untyped-call]  # confluent-kafka has no types here
    last, problems = read_offsets(client, topic, partitions, latest, SECONDS)
    first, without_first = read_offsets(client, topic, last.keys(), earliest, SECONDS)
    leaders = judge_leaders(len(partitions), problems | without_first)
    if not first:
        return [leaders]
    try:
        committed = _committed(config, settings, sorted(first))
    except KafkaException as error:
        seen = f"the committed offsets of {settings.consumer_group} cannot be read: {error.args[0].str()}"
        return [leaders, Finding(f"loaders' lag{where}", Level.fail, seen, "start the brokers that do not answer")]
    # A negative offset means that nothing is committed. Loading then begins at the oldest message that Kafka has.
    lag = {
        number: max(last[number].offset - max(committed[number], oldest.offset), 0) for number, oldest in first.items()
    }
    return [leaders, judge_lag(lag, where)]


def _committed(config: dict[str, Any], settings: Settings, partitions: list[int]) -> dict[int, int]:
    """Returns the committed offsets of the loaders, negative where nothing is committed. Raises KafkaException."""
    with closing(CommittedOffsets(config, settings.consumer_group, settings.kafka_topic)) as committed:
        return {each.partition: each.offset for each in committed.read(partitions, SECONDS)}
