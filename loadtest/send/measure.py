"""Runs a profile: sends its stages on schedule, then compares the sent records with the stored ones."""

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Final

from loadtest.bench import Bench
from loadtest.own_stack import OwnStack
from loadtest.percentile import percentile
from loadtest.report.correctness import Correctness
from loadtest.send.profile import PROFILES, Stage
from loadtest.send.study import SendReport
from loadtest.topic import wait_until_loaded
from loadtest.traffic.open_loop import on_schedule
from loadtest.traffic.prepared import Pace, PreparedRequests, calls
from loadtest.traffic.scheduled_exports import CONNECTIONS, Outcomes, ScheduledExports
from loadtest.verdict import judge
from loadtest.waiting import WAIT_SECONDS

RECORDS: Final = 50
"""Records in each request."""


def run_profile(bench: Bench, stack: OwnStack, name: str) -> SendReport:
    """Sends all stages, waits until all messages are loaded, and compares the sent records with the stored ones.

    Raises InvalidRequest if the receiver refuses a request as invalid, Unavailable if loaders have not caught up after
    WAIT_SECONDS.
    """
    profile = PROFILES[name]
    senders = [stack.create_sender(f"send-{number}") for number in range(profile.tenants)]
    due = list(due_times(profile.stages))
    bench.say("preparing requests")
    requests = PreparedRequests(profile.shape, bench.seed, Pace(RECORDS, profile.seconds / len(due), len(due)))
    bench.say(f"sending for {profile.seconds:g} s: {profile.about}")
    started_ns = bench.clock.now_ns()
    with ScheduledExports(stack.otlp_http, bench.clock) as exports:
        in_turn = (call for _, call in calls(senders, requests, exports, bench.clock))
        on_schedule(zip(due, in_turn, strict=False), bench.clock, CONNECTIONS)
    ended_ns = bench.clock.now_ns()
    # Records that are stored twice, and those of uncertain requests, may come after the acknowledged ones.
    wait_until_loaded(stack.settings, bench.clock, WAIT_SECONDS)
    verdict = judge(exports.outcomes.sent, stack.settings, bench.clock, between=(started_ns, ended_ns))
    return send_report(name, exports.outcomes, verdict)


def due_times(stages: Sequence[Stage]) -> Iterator[float]:
    """Yields the seconds after the start at which each request is due, so that each stage has its rate."""
    begun = 0.0
    for stage in stages:
        interval = RECORDS / stage.rate
        yield from (begun + number * interval for number in range(round(stage.seconds / interval)))
        begun += stage.seconds


def send_report(name: str, outcomes: Outcomes, verdict: Correctness) -> SendReport:
    """Returns the report of a run of profile `name`."""
    seconds = [taken for taken in outcomes.seconds if isfinite(taken)]
    p50, p99 = (percentile(seconds, share) if seconds else float("inf") for share in (0.5, 0.99))
    return SendReport(
        profile=name,
        acknowledged=outcomes.acknowledged,
        refused=outcomes.refused,
        uncertain=outcomes.uncertain,
        stored=outcomes.acknowledged - verdict.lost + verdict.uncertain_stored,
        p50=p50,
        p99=p99,
        behind=outcomes.behind,
        **dict(verdict),
    )
