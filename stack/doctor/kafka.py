"""Checks that Kafka answers, and how far the loaders are behind."""

import logging
from collections.abc import Mapping
from typing import Any, Final

from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._listoffsets import OffsetSpec

from kit.kafka import configuration_refusal, kafka_connection
from kit.kafka_refusal import KafkaRefusal
from kit.settings import Settings
from schema.committed_offsets import committed_offsets
from stack.doctor.finding import Bounds, Finding, Level, graded, of_replica

SECONDS: Final = 5.0
LAG: Final = Bounds(10_000, 1_000_000, "read the loaders' logs and /readyz, or start more loaders")


def kafka_findings(settings: Settings) -> list[Finding]:
    """Returns a finding about the brokers, and if they answer, one about the loaders' lag."""
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
        lag = _lag(client, settings, sorted(topic.partitions))
    except KafkaException as error:
        refused = refusal.reason(client)
        first = "correct the settings LOGSIEVE_KAFKA_…" if refused else "start the brokers"
        advice = f"{first}; until then receivers refuse logs, and searches work"
        return [Finding("kafka", Level.fail, f"{settings.kafka_brokers}: {refused or error.args[0].str()}", advice)]
    copies = {number: (len(each.isrs), len(each.replicas)) for number, each in topic.partitions.items()}
    return [
        Finding("kafka", Level.ok, f"{settings.kafka_topic} has {len(lag)} partitions"),
        judge_copies(copies),
        judge_lag(lag, of_replica(settings)),
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


def _lag(client: AdminClient, settings: Settings, partitions: list[int]) -> dict[int, int]:
    topic = settings.kafka_topic
    wanted = [TopicPartition(topic, partition) for partition in partitions]
    found = committed_offsets(client, settings.consumer_group, topic, SECONDS)
    committed = {each.partition: each.offset for each in found}
    first = _offsets(client, wanted, OffsetSpec.earliest())  # type: ignore[no-untyped-call]  # confluent-kafka has no types here
    last = _offsets(client, wanted, OffsetSpec.latest())  # type: ignore[no-untyped-call]
    # A negative offset means that nothing is committed. Loading then begins at the oldest message that Kafka has.
    return {number: max(last[number] - max(committed.get(number, -1), first[number]), 0) for number in partitions}


def _offsets(client: AdminClient, partitions: list[TopicPartition], which: OffsetSpec) -> dict[int, int]:
    requested = client.list_offsets(dict.fromkeys(partitions, which), request_timeout=SECONDS)
    return {partition.partition: answer.result().offset for partition, answer in requested.items()}
