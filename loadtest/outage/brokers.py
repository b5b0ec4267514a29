"""Kills each of three brokers in turn while clients send to all partitions."""

import time
from collections.abc import Mapping
from typing import Final

from confluent_kafka import KafkaException
from confluent_kafka.admin._metadata import TopicMetadata

from kit.errors import Unavailable
from kit.kafka_settings import MAX_OWN_BROKERS
from kit.settings import Settings
from loadtest.bench import Bench
from loadtest.comparison import count
from loadtest.outage.steady import SteadyLoad, longest_pause
from loadtest.outage.study import Answers, BrokerKill, OutageReport
from loadtest.own_stack import OwnStack, Sender
from loadtest.services import KAFKA
from loadtest.topic import wait_until_loaded
from loadtest.verdict import judge
from loadtest.waiting import wait_until
from schema.tenant_partitions import partition_of, tenant_key
from schema.topic import ADMIN_SECONDS, admin

BROKER: Final = "broker"
BROKERS: Final = MAX_OWN_BROKERS
_AROUND_SECONDS: Final = 5.0
"""Seconds of sending before each kill."""
_RECOVERY_SECONDS: Final = 180.0
_MAX_TENANTS: Final = 60


def run_brokers(bench: Bench, stack: OwnStack, seconds: float, rate: int) -> OutageReport:
    """Keeps each broker down for `seconds`, one after the other, while `rate` records per second are sent.

    Raises Unavailable if the brokers do not recover.
    """
    senders = _sender_for_each_partition(stack)
    kills = []
    with SteadyLoad(stack, senders, rate, bench.seed, bench.clock) as load:
        started = bench.clock.monotonic()
        time.sleep(2 * _AROUND_SECONDS)
        before = longest_pause(load.acknowledged, started, bench.clock.monotonic())
        for number in range(1, BROKERS + 1):
            kills.append(_kill(bench, stack, load, number, seconds))
            load.check()
        back = bench.clock.monotonic()
    load.check()
    wait_until_loaded(stack.settings, bench.clock, _RECOVERY_SECONDS)
    drained_after = bench.clock.monotonic() - back
    sent = load.sent()
    verdict = judge(sent, stack.settings, bench.clock)
    return OutageReport(
        service=BROKER,
        seconds=seconds,
        rate=rate,
        logged=sum(count(each.acknowledged) for each in sent.values()),
        answers=Answers(statuses={200: len(load.acknowledged)}, slowest_seconds=load.slowest),
        drained_after=drained_after,
        pause_before=before,
        kills=tuple(kills),
        **dict(verdict),
    )


def _kill(bench: Bench, stack: OwnStack, load: SteadyLoad, number: int, seconds: float) -> BrokerKill:
    clock, service = bench.clock, KAFKA if number == 1 else f"{KAFKA}-{number}"
    time.sleep(_AROUND_SECONDS)
    leaders = _partitions(stack.settings)[stack.settings.kafka_topic].partitions.values()
    led = sum(partition.leader == number for partition in leaders)
    bench.say(f"broker {number}, which leads {led} of {len(leaders)} partitions, is down for {seconds:g} s")
    killed, refused = clock.monotonic(), load.unacknowledged
    while clock.monotonic() < killed + seconds:
        # The supervisor restarts the broker, so it is killed repeatedly.
        stack.services.kill(service)
        time.sleep(0.1)
    back = clock.monotonic()
    bench.say(f"broker {number} may come back")
    wait_until(
        lambda: _all_in_sync(stack.settings),
        clock,
        _RECOVERY_SECONDS,
        "not every replica was in sync",
        pause_seconds=0.25,
    )
    in_sync = clock.monotonic()
    stack.services.wait_until_ready(clock, _RECOVERY_SECONDS)
    time.sleep(_AROUND_SECONDS)
    return BrokerKill(
        broker=number,
        led=led,
        longest_pause=longest_pause(load.acknowledged, killed, clock.monotonic()),
        refused=load.unacknowledged - refused,
        in_sync_after=in_sync - back,
    )


def _all_in_sync(settings: Settings) -> bool:
    """Returns whether every replica of every topic is in sync. False while no broker answers."""
    try:
        topics = _partitions(settings)
    except Unavailable:
        return False
    every = [partition for topic in topics.values() for partition in topic.partitions.values()]
    return all(len(each.isrs) == len(each.replicas) == BROKERS for each in every)


def _partitions(settings: Settings) -> Mapping[str, TopicMetadata]:
    """Returns what the brokers know about their topics, also about Kafka's own."""
    client = admin(settings)
    try:
        return client.list_topics(timeout=ADMIN_SECONDS).topics
    except KafkaException as error:
        raise Unavailable(f"Kafka did not answer: {error.args[0].str()}") from error


def _sender_for_each_partition(stack: OwnStack) -> list[Sender]:
    """Creates tenants until each partition of the topic has one. Returns them in the order of partitions."""
    partitions = stack.settings.kafka_partitions
    found: dict[int, Sender] = {}
    for number in range(_MAX_TENANTS):
        sender = stack.create_sender(f"outage-{number}")
        found.setdefault(partition_of(tenant_key(sender.tenant_id, 0), partitions), sender)
        if len(found) == partitions:
            return [found[partition] for partition in range(partitions)]
    raise Unavailable(
        f"{_MAX_TENANTS} tenants do not write to all of the {partitions} partitions: set fewer partitions"
    )
