"""Measures the receiver's cost of a request: with and without attribute rules, and with redactions of bodies."""

import random
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from statistics import median
from typing import Final

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs

from ingest.policy.apply import Policy
from ingest.receiver.admit import Admitter, Window
from ingest.receiver.prepare import prepare
from kit.settings import Settings
from loadtest.bench import Say
from loadtest.policy.study import Effort, RedactionCost, RequestCost
from loadtest.policy.workload import make_records, make_rules
from schema.attribute_rules import TenantRules
from schema.redactions import BUILT_IN, Redaction, redactor_of

RULE_COUNTS: Final = (10, 100, 1000)
HIT_SHARES: Final = (0.0, 0.01, 0.1)
TEXT_SHARE: Final = 0.8
"""Share of attribute values that are text. The others are numbers, like status codes, ports and durations."""
BODY_BYTES: Final = (300, 4000)
ATTRIBUTES: Final = 10
NOW: Final = 1_795_000_000_000_000_000
_WORDS: Final = (
    "connection", "reset", "by", "peer", "GET", "/api/v1/orders/12345", "200", "user-id=42", "10.0.0.1", "timeout",
    "after", "1500ms", "INFO", "2026-11-22T01:02:03.004Z", "4bf92f3577b34da6a3ce929d0e0e4736",
)  # fmt: skip


Stopwatch = Callable[[], float]
"""Returns increasing seconds. The study passes CPU time of the thread, on which other processes have little effect."""


def measure_requests(effort: Effort, stopwatch: Stopwatch, say: Say) -> list[RequestCost]:
    """Measures requests with and without rules alternately.

    Returns a cost for each number of rules, order of names and share of attributes that meet a rule.
    """
    costs = []
    for count, same_order, hit_share in product(RULE_COUNTS, (True, False), HIT_SHARES):
        rng = random.Random(effort.seed)
        rules = make_rules(count, rng)
        policy = Policy(TenantRules(tuple(rules)))
        say(f"{count} rules, a request of {effort.records} records, {hit_share:.0%} of attributes meet a rule")
        body = _under_rules(make_records(rules, 1 - hit_share, same_order, effort.records, rng), rng)
        rounds = [
            tuple(_policy_round(body, effort.records, each, stopwatch) for each in (None, policy))
            for _ in range(effort.rounds)
        ]
        ratios = [with_rules / without for without, with_rules in rounds]
        costs.append(
            RequestCost(
                rules=count,
                same_order=same_order,
                hit_share=hit_share,
                without=median(without for without, _ in rounds),
                with_rules=median(with_rules for _, with_rules in rounds),
                ratio=median(ratios),
                spread=spread(ratios),
            )
        )
    return costs


def spread(rounds: Sequence[float]) -> float:
    """Returns the difference between the largest and the smallest value, divided by the median."""
    return (max(rounds) - min(rounds)) / median(rounds)


def measure_redactions(effort: Effort, stopwatch: Stopwatch, say: Say) -> list[RedactionCost]:
    """Measures a request of `effort.records` records for each size of bodies and each redaction."""
    rng = random.Random(effort.seed)
    cases: list[tuple[str, Sequence[str]]] = [("none", ()), *((name, (name,)) for name in BUILT_IN)]
    cases.append(("all built in", tuple(BUILT_IN)))
    costs = []
    for body_bytes in BODY_BYTES:
        request = _of_words(effort.records, body_bytes, rng)
        for patterns, names in cases:
            say(f"bodies of {body_bytes} bytes, redactions: {patterns}")
            rounds = [_redaction_round(request, effort.records, names, stopwatch) for _ in range(effort.rounds)]
            costs.append(
                RedactionCost(
                    patterns=patterns, body_bytes=body_bytes, microseconds=median(rounds), spread=spread(rounds)
                )
            )
    return costs


def _policy_round(body: bytes, records: int, policy: Policy | None, stopwatch: Stopwatch) -> float:
    admitter = Admitter(Settings())
    # The first request is not measured. In it, the admitter sees the attribute names for the first time.
    prepare(body, records, Window(0, 2 * NOW, NOW), admitter, 1, None, policy)
    started = stopwatch()
    prepare(body, records, Window(0, 2 * NOW, NOW), admitter, 1, None, policy)
    return (stopwatch() - started) * 1e6 / records


def _redaction_round(request: bytes, records: int, names: Sequence[str], stopwatch: Stopwatch) -> float:
    redactor, admitter = redactor_of(Redaction(name, None) for name in names), Admitter(Settings())
    # The first request is not measured. In it, the redactor builds the states of its expressions.
    prepare(request, records, Window(0, 2 * NOW, NOW), admitter, 1, redactor)
    started = stopwatch()
    prepare(request, records, Window(0, 2 * NOW, NOW), admitter, 1, redactor)
    return (stopwatch() - started) * 1e6 / records


def _under_rules(records: Sequence[Sequence[str]], rng: random.Random) -> bytes:
    def value() -> AnyValue:
        if rng.random() < TEXT_SHARE:
            return AnyValue(string_value=f"{rng.getrandbits(64):016x}")
        return AnyValue(int_value=rng.randrange(100_000))

    return _request(("x" * 300, [KeyValue(key=name, value=value()) for name in names]) for names in records)


def _of_words(records: int, body_bytes: int, rng: random.Random) -> bytes:
    attributes = [KeyValue(key=f"app.name.{n}", value=AnyValue(string_value="x" * 12)) for n in range(ATTRIBUTES)]
    return _request((" ".join(rng.choices(_WORDS, k=body_bytes // 4))[:body_bytes], attributes) for _ in range(records))


def _request(records: Iterable[tuple[str, Sequence[KeyValue]]]) -> bytes:
    """Returns an encoded request. Each record is given as its body and its attributes."""
    log_records = [
        LogRecord(time_unix_nano=NOW, body=AnyValue(string_value=body), attributes=attributes)
        for body, attributes in records
    ]
    scope_logs = ScopeLogs(log_records=log_records)
    return ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=[scope_logs])]).SerializeToString()
