"""Runs a profile: several processes send their shares on schedule, then the outcome is compared with thresholds."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from math import isfinite
from multiprocessing import get_context
from typing import Final

from kit.clock import Clock, SystemClock
from loadtest.bench import Bench
from loadtest.comparison import Sent, count
from loadtest.corpus.records import RecordSource, export_request
from loadtest.own_stack import OwnStack, Sender
from loadtest.percentile import percentile
from loadtest.report.correctness import Correctness
from loadtest.send.profile import PROFILES, Profile
from loadtest.send.study import SendReport
from loadtest.topic import wait_until_loaded
from loadtest.traffic.open_loop import Call, on_schedule
from loadtest.traffic.scheduled_exports import Outcomes, ScheduledExports
from loadtest.verdict import judge

PROCESSES: Final = 2
"""Processes that send, each the same share of a profile's rate."""
REQUEST_SECONDS: Final = 0.1
"""Seconds of a process's records that each request contains."""
NUMBERS: Final = 2**40
"""Distance between the first record numbers of two processes."""
_CONNECTIONS: Final = 32
_LOADED_SECONDS: Final = 120.0


@dataclass(frozen=True, slots=True)
class Share:
    """The part of a profile that one process sends."""

    process: int
    profile: Profile
    senders: tuple[Sender, ...]
    address: tuple[str, int]
    seed: int


def run_profile(bench: Bench, stack: OwnStack, name: str) -> SendReport:
    """Sends all shares, waits until all messages are loaded, and compares the outcome with the thresholds.

    Raises Unavailable if loaders have not caught up after `_LOADED_SECONDS`.
    """
    profile = PROFILES[name]
    senders = tuple(stack.create_sender(f"send-{number}") for number in range(profile.tenants))
    bench.say(f"sending for {profile.seconds:g} s from {PROCESSES} processes: {profile.about}")
    shares = [Share(number, profile, senders, stack.otlp_http, bench.seed + number) for number in range(PROCESSES)]
    started_ns = bench.clock.now_ns()
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        outcomes = list(pool.map(send_share, shares))
    ended_ns = bench.clock.now_ns()
    # Records that are stored twice, and those of uncertain requests, may come after the acknowledged ones.
    wait_until_loaded(stack.settings, bench.clock, _LOADED_SECONDS)
    verdict = judge(ledger(outcomes), stack.settings, bench.clock, between=(started_ns, ended_ns))
    return send_report(name, outcomes, verdict)


def send_share(share: Share) -> Outcomes:
    """Sends one share, in a separate process. Raises InvalidRequest if the receiver refuses a request as invalid."""
    clock = SystemClock()
    # The source is made before the schedule starts, because this takes longer than a request may be late.
    source = RecordSource(share.profile.shape, share.seed, first=share.process * NUMBERS)
    with ScheduledExports(share.address, clock) as exports:
        on_schedule(_calls(share, source, exports, clock), clock, _CONNECTIONS)
    return exports.outcomes


def _calls(share: Share, source: RecordSource, exports: ScheduledExports, clock: Clock) -> Iterator[tuple[float, Call]]:
    number, first = 0, share.process * NUMBERS
    for stage in share.profile.stages:
        credit = 0.0
        for _ in range(round(stage.seconds / REQUEST_SECONDS)):
            credit += stage.rate / PROCESSES * REQUEST_SECONDS
            records, credit = int(credit), credit - int(credit)
            if records:
                sender, time_ns = share.senders[number % len(share.senders)], clock.now_ns()
                body = export_request(source.take(records, time_ns), number % 8)
                # The first request is due after one second, so that there is time to make it.
                due = 1.0 + number * REQUEST_SECONDS
                yield due, exports.call(sender, body, range(first, first + records), time_ns)
                first += records
            number += 1


def ledger(outcomes: Sequence[Outcomes]) -> dict[int, Sent]:
    """Returns what all processes sent, by tenant id."""
    merged: defaultdict[int, Sent] = defaultdict(Sent)
    for each in outcomes:
        for tenant_id, sent in each.sent.items():
            merged[tenant_id] = merged[tenant_id].merged(sent)
    return merged


def send_report(name: str, outcomes: Sequence[Outcomes], verdict: Correctness) -> SendReport:
    """Returns the report of all processes' outcomes. It has a sentence for each threshold of profile `name` that was
    not kept."""
    seconds = [taken for each in outcomes for taken in each.seconds if isfinite(taken)]
    ledgers = ledger(outcomes).values()
    acknowledged = sum(count(sent.acknowledged) for sent in ledgers)
    uncertain = sum(count(sent.uncertain) for sent in ledgers)
    refused = sum(each.refused for each in outcomes)
    behind = max(each.behind for each in outcomes)
    p50, p99 = (percentile(seconds, share) if seconds else float("inf") for share in (0.5, 0.99))
    limits = PROFILES[name].thresholds
    sent = acknowledged + uncertain + refused
    missed = []
    if p99 > limits.p99_seconds:
        missed.append(f"the 99th percentile is {p99:.2f} s, and {limits.p99_seconds:g} s is allowed")
    if behind > limits.behind_seconds:
        missed.append(f"a request was {behind:.2f} s behind its schedule, and {limits.behind_seconds:g} s is allowed")
    if (refused + uncertain) > limits.refused_share * sent:
        allowed = f"{limits.refused_share:.0%} is allowed"
        missed.append(f"{refused + uncertain} of {sent} records were not acknowledged, and {allowed}")
    if verdict.wrong:
        missed.append(
            f"of {acknowledged} acknowledged records, {verdict.lost} are lost; {verdict.doubled} records are stored"
            f" more than once, {verdict.foreign} for a tenant that never sent them"
        )
    return SendReport(
        profile=name,
        acknowledged=acknowledged,
        refused=refused,
        uncertain=uncertain,
        stored=acknowledged - verdict.lost + verdict.uncertain_stored,
        p50=p50,
        p99=p99,
        behind=behind,
        missed=tuple(missed),
        **dict(verdict),
    )
