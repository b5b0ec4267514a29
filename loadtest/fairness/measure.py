"""Measures the acknowledgement latency of a quiet tenant, alone and beside a tenant that floods.

Measurements alternate between both, so that slow changes of the machine's speed affect both.
"""

import time
from collections import Counter
from math import inf
from typing import Final

from kit.errors import Unavailable
from loadtest.bench import Bench
from loadtest.corpus.records import SMALL, RecordSource, export_request
from loadtest.fairness.study import FairnessReport, Latencies
from loadtest.hostile.attack import Answers, Effort, Target
from loadtest.hostile.attacking import attack_process
from loadtest.hostile.catalog import FLOOD
from loadtest.hostile.tenants import limit_rate
from loadtest.own_stack import OwnStack, Sender
from loadtest.percentile import percentile
from loadtest.traffic.open_loop import on_schedule
from loadtest.traffic.scheduled_exports import ScheduledExports

_QUIET_RATE: Final = 25
"""Requests per second of the quiet tenant."""
_QUIET_RECORDS: Final = 20
_SETTLE_SECONDS: Final = 2.0


def measure(bench: Bench, stack: OwnStack, rounds: int, seconds: float) -> FairnessReport:
    """Measures the quiet tenant in `rounds` rounds, each for `seconds` alone and for `seconds` beside the flood."""
    source = RecordSource(SMALL, bench.seed)
    quiet, greedy = stack.create_sender("quiet"), stack.create_sender("greedy")
    limit_rate(stack, greedy)
    _send_by_the_clock(bench, stack, quiet, source, _SETTLE_SECONDS)
    alone: list[float] = []
    beside: list[float] = []
    answers: Answers = Counter()
    target = Target(stack.otlp_http, stack.otlp_grpc, stack.otlp_http, (greedy.ingest_key,), "")
    effort = Effort(_SETTLE_SECONDS + seconds, 10**9, connections=0, hold_seconds=0, names=0, tries=1, rows=0)
    with attack_process() as flooding:
        for number in range(1, rounds + 1):
            bench.say(f"round {number} of {rounds}: alone")
            alone += _send_by_the_clock(bench, stack, quiet, source, seconds)
            bench.say(f"round {number} of {rounds}: beside a tenant over its limit")
            flooding.prepare(FLOOD, target, effort)
            flooding.start()
            time.sleep(_SETTLE_SECONDS)
            beside += _send_by_the_clock(bench, stack, quiet, source, seconds)
            answers += flooding.outcome(effort)[0]
    return FairnessReport(alone=_latencies(alone), beside=_latencies(beside), flood=dict(answers))


def _send_by_the_clock(
    bench: Bench, stack: OwnStack, quiet: Sender, source: RecordSource, seconds: float
) -> list[float]:
    """Sends the quiet tenant's requests on schedule. Returns the latency of each request in seconds.

    A latency starts when the request was due, so that it includes waiting behind an earlier slow answer. Raises
    Unavailable if a request is refused.
    """
    time_ns, numbers = bench.clock.now_ns(), range(_QUIET_RECORDS)
    bodies = [export_request(source.take(_QUIET_RECORDS, time_ns), pod=1) for _ in range(round(seconds * _QUIET_RATE))]
    with ScheduledExports(stack.otlp_http, bench.clock) as exports:
        calls = (exports.call(quiet, body, numbers, time_ns) for body in bodies)
        on_schedule(((number / _QUIET_RATE, call) for number, call in enumerate(calls)), bench.clock, threads=1)
    if inf in exports.outcomes.seconds:
        raise Unavailable("a request of the quiet tenant was refused")
    return exports.outcomes.seconds


def _latencies(seconds: list[float]) -> Latencies:
    return Latencies(requests=len(seconds), p50=percentile(seconds, 0.5), p99=percentile(seconds, 0.99))
