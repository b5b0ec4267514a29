"""Tests with three brokers: every message is kept and further ones are acknowledged when one broker is killed, and a
partition whose only broker hangs delays no other tenants and is named by the doctor. Committed offsets are read while
their coordinator moves."""

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, suppress
from itertools import count

import pytest
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin._metadata import PartitionMetadata
from confluent_kafka.cimpl import NewTopic

from ingest.receiver.producer import DELIVERY_MS, TopicProducer, producer_config
from kit.clock import SystemClock
from kit.errors import Unavailable
from kit.kafka import kafka_connection
from kit.settings import Settings
from schema.committed_offsets import CommittedOffsets
from schema.envelope import Envelope
from schema.tenant_partitions import partition_of, tenant_key
from schema.topic import admin, ensure_topics
from stack.broker.node import brokers
from stack.doctor.finding import Level
from stack.doctor.kafka import kafka_findings
from tests.eventually import eventually
from tests.stack.small_stack import SmallStack, kill, small_stack

NAMES = ("kafka", "kafka-2", "kafka-3")
SINGLE, DOCTOR = "without-replicas", "without-replicas-for-the-doctor"
"""Topics with one partition on each of two brokers."""


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallStack]:
    stack = small_stack(tmp_path_factory.mktemp("three") / "home")
    done = stack.logsieve("up", *NAMES, "--brokers", "3")
    assert done.returncode == 0, done.stderr
    yield stack
    done = stack.logsieve("down")
    assert (done.returncode, "was killed" in done.stderr + done.stdout) == (0, False), done.stderr


def test_a_partition_whose_broker_hangs_refuses_only_its_tenants(three: SmallStack) -> None:
    settings = Settings(home=three.home, port_offset=three.offset, kafka_topic=SINGLE)
    create_topic_without_replicas(settings)
    pid = three.service(brokers(settings)[1].name)["pid"]
    try:
        asyncio.run(send_beside_a_hanging_broker(settings, pid))
    finally:
        os.kill(pid, signal.SIGCONT)


def test_the_doctor_names_a_partition_whose_broker_hangs_and_checks_the_others(three: SmallStack) -> None:
    settings = Settings(home=three.home, port_offset=three.offset, kafka_topic=DOCTOR)
    create_topic_without_replicas(settings)
    pid = three.service(brokers(settings)[1].name)["pid"]
    os.kill(pid, signal.SIGSTOP)
    try:
        found = {each.about: each for each in kafka_findings(settings)}
    finally:
        os.kill(pid, signal.SIGCONT)

    assert (found["kafka"].level, found["leaders in Kafka"].level) == (Level.ok, Level.fail)
    assert found["leaders in Kafka"].seen.startswith("1 of 2 partitions did not answer")
    assert "partition 1: " in found["leaders in Kafka"].seen
    assert {"replicas in Kafka", "loaders' lag"} <= set(found)
    eventually(lambda: doctor_says(settings)["leaders in Kafka"] is Level.ok, "the broker answers again", seconds=60)


def doctor_says(settings: Settings) -> dict[str, Level]:
    found = {each.about: each.level for each in kafka_findings(settings)}
    return {"leaders in Kafka": Level.fail} | found


def create_topic_without_replicas(settings: Settings) -> None:
    """Creates a topic with one partition on each of two brokers."""
    name = settings.kafka_topic
    topic = NewTopic(name, num_partitions=2, replica_assignment=[[1], [2]])
    client = admin(settings)
    client.create_topics([topic], operation_timeout=30)[name].result(60)
    eventually(
        lambda: {number: each.leader for number, each in partitions(settings).items()} == {0: 1, 1: 2},
        "both brokers lead their partition",
        seconds=60,
    )


async def send_beside_a_hanging_broker(settings: Settings, hanging: int) -> None:
    good, bad = (next(each for each in count(1) if partition_of(tenant_key(each, 0), 2) == place) for place in (0, 1))
    producer = TopicProducer(settings, settings.receiver_memory_bytes, lambda _: 1, lambda: None, SystemClock())

    async def send(tenant: int) -> None:
        await producer.send(Envelope(tenant, 0, "r30", 4096, time.time_ns()), b"value")

    await asyncio.gather(send(good), send(bad))
    os.kill(hanging, signal.SIGSTOP)
    sent = asyncio.create_task(send(bad))
    while not sent.done():
        producer.check(good)
        await send(good)
        # Without a pause, ten seconds of messages take a processor from other tests.
        await asyncio.sleep(0.02)
    with pytest.raises(Unavailable, match="timed out"):
        await sent
    await refused_at_once(lambda: send(bad))
    producer.check(good)
    await send(good)
    assert producer.problem() is None

    os.kill(hanging, signal.SIGCONT)
    async with asyncio.timeout(60):
        while True:
            with suppress(Unavailable):
                await send(bad)
                break
            await asyncio.sleep(0.1)
    await producer.close()


async def refused_at_once(send: Callable[[], Awaitable[None]]) -> None:
    """Sends until a message is refused without being tried. On a busy machine, the pause after a failure may have ended
    before the next message, which is then tried."""
    async with asyncio.timeout(60):
        while True:
            started = time.monotonic()
            with pytest.raises(Unavailable) as refused:
                await send()
            if "partition cannot be reached" in refused.value.detail:
                break
    assert time.monotonic() - started < DELIVERY_MS / 1000


def test_a_killed_leader_costs_a_pause_and_no_message(three: SmallStack) -> None:
    settings = Settings(home=three.home, port_offset=three.offset)
    ensure_topics(settings)
    assert three.logsieve("up", *NAMES, "--brokers", "1").returncode == 1
    assert all(len(each.isrs) == len(each.replicas) == 3 for each in partitions(settings).values())

    write(settings, "before")
    leader = partitions(settings)[0].leader
    name = brokers(settings)[leader - 1].name
    kill(three.service(name)["pid"])
    write(settings, "without a leader")

    assert partitions(settings)[0].leader != leader
    eventually(
        lambda: all(len(each.isrs) == 3 for each in partitions(settings).values()),
        "every replica is in sync again",
        seconds=60,
    )
    assert three.service(name)["restarts"] == 1


def test_committed_offsets_are_read_while_their_coordinator_moves(three: SmallStack) -> None:
    """Kafka's admin client would end this process (CommittedOffsets)."""
    settings = Settings(home=three.home, port_offset=three.offset)
    ensure_topics(settings)
    commit(settings, TopicPartition(settings.kafka_topic, 0, 7))
    reader = CommittedOffsets(kafka_connection(settings), settings.consumer_group, settings.kafka_topic)
    with closing(reader) as committed:
        assert committed.read([0], 30)[0].offset == 7
        first = coordinator_of(settings)
        kill(three.service(brokers(settings)[first - 1].name)["pid"])

        def is_read_from_another_broker() -> bool:
            try:
                offset = committed.read([0], 2)[0].offset
                assert offset == 7, "the new coordinator does not know the group's last commit"
                return coordinator_of(settings) != first
            except KafkaException:
                return False

        eventually(is_read_from_another_broker, "the offset is read from another coordinator", seconds=60)


def commit(settings: Settings, position: TopicPartition) -> None:
    """Commits an offset for the group of the settings as soon as it has a coordinator."""
    with closing(Consumer({**kafka_connection(settings), "group.id": settings.consumer_group})) as consumer:

        def is_committed() -> bool:
            try:
                return consumer.commit(offsets=[position], asynchronous=False)[0].error is None
            except KafkaException:
                return False

        eventually(is_committed, "the offset is committed", seconds=60)


def coordinator_of(settings: Settings) -> int:
    """Returns the id of the broker that coordinates the group of the settings. Raises KafkaException."""
    client, group = admin(settings), settings.consumer_group
    return int(client.describe_consumer_groups([group], request_timeout=10)[group].result().coordinator.id)


def write(settings: Settings, text: str) -> None:
    """Writes a message to each partition. Fails the test unless all are acknowledged within the receiver's time."""
    errors: list[object] = []
    producer = Producer(producer_config(settings, settings.receiver_memory_bytes))
    for partition in range(settings.kafka_partitions):
        producer.produce(
            settings.kafka_topic, text, partition=partition, on_delivery=lambda error, _: errors.append(error)
        )
    assert producer.flush(2 * DELIVERY_MS / 1000) == 0
    assert errors == [None] * settings.kafka_partitions


def partitions(settings: Settings) -> dict[int, PartitionMetadata]:
    return dict(admin(settings).list_topics(settings.kafka_topic, timeout=10).topics[settings.kafka_topic].partitions)
