"""Kills each of three brokers in turn while clients send to all partitions at a constant rate."""

import threading
import time
from collections.abc import Mapping, Sequence
from itertools import pairwise, takewhile
from math import inf
from typing import Any, Final

from confluent_kafka.admin._metadata import TopicMetadata

from kit.errors import Unavailable
from kit.kafka_settings import MAX_OWN_BROKERS
from kit.settings import Settings
from loadtest.background import Running
from loadtest.bench import Bench
from loadtest.corpus.records import SMALL
from loadtest.outage.run import keep_down
from loadtest.outage.study import BrokerKill, OutageReport
from loadtest.own_stack import OwnStack, Sender
from loadtest.services import KAFKA
from loadtest.topic import answering, wait_until_loaded
from loadtest.traffic.open_loop import on_schedule
from loadtest.traffic.prepared import Pace, PreparedRequests, calls
from loadtest.traffic.scheduled_exports import Answered, ScheduledExports
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
_RECORDS: Final = 5
"""Records in each request."""
_THREADS: Final = 160
"""Largest number of requests in progress at once. If there are as many, further requests start late."""


def run_brokers(bench: Bench, stack: OwnStack, seconds: float, rate: int) -> OutageReport:
    """Keeps each broker down for `seconds`, one after the other, while `rate` records per second are sent.

    Raises Unavailable if the brokers do not recover.
    """
    senders = _sender_for_each_partition(stack)
    kills, unacknowledged = [], [0]
    acknowledged: list[Answered] = []
    requests = PreparedRequests(SMALL, bench.seed, Pace(_RECORDS, _RECORDS / rate, _THREADS))
    exports = ScheduledExports(stack.otlp_http, bench.clock, acknowledged.append)
    outcomes = exports.outcomes

    def send(stopping: threading.Event) -> None:
        scheduled = calls(senders, requests, exports, bench.clock)
        on_schedule(takewhile(lambda _: not stopping.is_set(), scheduled), bench.clock, _THREADS)

    with exports, Running("steady-load", send) as load:
        started = bench.clock.monotonic()
        time.sleep(2 * _AROUND_SECONDS)
        before = longest_pause(acknowledged, started, bench.clock.monotonic())
        for number in range(1, BROKERS + 1):
            time.sleep(_AROUND_SECONDS)
            unacknowledged.append(outcomes.seconds.count(inf))
            kills.append(_kill(bench, stack, acknowledged, number, seconds))
            load.check()
    unacknowledged.append(outcomes.seconds.count(inf))
    wait_until_loaded(stack.settings, bench.clock, _RECOVERY_SECONDS)
    verdict = judge(outcomes.sent, stack.settings, bench.clock)
    return OutageReport(
        service=BROKER,
        seconds=seconds,
        rate=rate,
        logged=outcomes.acknowledged,
        pause_before=before,
        **refusals(kills, unacknowledged),
        **dict(verdict),
    )


def refusals(kills: Sequence[BrokerKill], unacknowledged: Sequence[int]) -> dict[str, Any]:
    """Returns the parts of the report about refused requests. `unacknowledged` has their number at the start, at each
    kill and at the end. A request that is refused after the recovery counts for the kill before it."""
    before, *during = [after - earlier for earlier, after in pairwise(unacknowledged)]
    both = zip(kills, during, strict=True)
    return {
        "refused_before": before,
        "kills": tuple(kill.model_copy(update={"refused": refused}) for kill, refused in both),
    }


def longest_pause(acknowledged: Sequence[Answered], start: float, end: float) -> float:
    """Returns the longest time in seconds without an acknowledgement of a sender, of times that overlap with the time
    from `start` to `end`. A pause that has not ended counts until `end`."""
    longest = 0.0
    for sender in {each.sender for each in acknowledged}:
        times = sorted(each.at for each in acknowledged if each.sender == sender)
        pauses = pairwise([*times, max(end, times[-1])])
        longest = max(longest, *(later - earlier for earlier, later in pauses if later > start and earlier < end), 0.0)
    return longest


def _kill(bench: Bench, stack: OwnStack, acknowledged: list[Answered], number: int, seconds: float) -> BrokerKill:
    clock, service = bench.clock, KAFKA if number == 1 else f"{KAFKA}-{number}"
    leaders = _partitions(stack.settings)[stack.settings.kafka_topic].partitions.values()
    led = sum(partition.leader == number for partition in leaders)
    bench.say(f"broker {number} leads {led} of {len(leaders)} partitions")
    killed = clock.monotonic()
    back = keep_down(bench, stack, service, seconds)
    wait_until(lambda: _all_in_sync(stack.settings), clock, _RECOVERY_SECONDS, "not every replica was in sync", 0.25)
    in_sync = clock.monotonic()
    stack.services.wait_until_ready(clock, _RECOVERY_SECONDS)
    time.sleep(_AROUND_SECONDS)
    return BrokerKill(
        broker=number,
        led=led,
        longest_pause=longest_pause(acknowledged, killed, clock.monotonic()),
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
    with answering():
        return admin(settings).list_topics(timeout=ADMIN_SECONDS).topics


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
