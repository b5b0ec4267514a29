"""Measures the receiver's cost of a request: with and without attribute rules, and with redactions of bodies."""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
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
from loadtest.policy.study import RedactionCost, RequestCost
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


@dataclass(frozen=True, slots=True)
class RequestCosts:
    """Measures requests of `records` records in `rounds` rounds, of which the median is the result."""

    records: int
    rounds: int
    seed: int
    stopwatch: Stopwatch
    say: Say

    def of_rules(self) -> Iterator[RequestCost]:
        """Yields a cost for each number of rules, order of names and share of attributes that match a rule.

        Requests with and without rules alternate.
        """
        for count, same_order, hit_share in product(RULE_COUNTS, (True, False), HIT_SHARES):
            rng = random.Random(self.seed)
            rules = make_rules(count, rng)
            policy = Policy(TenantRules(tuple(rules)))
            self.say(f"{count} rules, a request of {self.records} records, {hit_share:.0%} of attributes match a rule")
            body = _under_rules(make_records(rules, 1 - hit_share, same_order, self.records, rng), rng)
            rounds = [(self._round(body), self._round(body, policy)) for _ in range(self.rounds)]
            ratios = [with_rules / without for without, with_rules in rounds]
            yield RequestCost(
                rules=count,
                same_order=same_order,
                hit_share=hit_share,
                without=median(without for without, _ in rounds),
                with_rules=median(with_rules for _, with_rules in rounds),
                ratio=median(ratios),
                spread=spread(ratios),
            )

    def of_redactions(self) -> Iterator[RedactionCost]:
        """Yields a cost for each size of bodies and each redaction."""
        rng = random.Random(self.seed)
        cases: dict[str, Sequence[str]] = {"none": (), **{name: (name,) for name in BUILT_IN}}
        cases["all built in"] = tuple(BUILT_IN)
        for body_bytes in BODY_BYTES:
            request = _of_words(self.records, body_bytes, rng)
            for patterns, names in cases.items():
                self.say(f"bodies of {body_bytes} bytes, redactions: {patterns}")
                rounds = [self._round(request, redactions=names) for _ in range(self.rounds)]
                yield RedactionCost(
                    patterns=patterns, body_bytes=body_bytes, microseconds=median(rounds), spread=spread(rounds)
                )

    def _round(self, body: bytes, policy: Policy | None = None, redactions: Sequence[str] = ()) -> float:
        """Returns the microseconds per record of one request.

        An equal request comes before the measurement: in it, the admitter sees the attribute names for the first time,
        and the redactor builds the states of its expressions.
        """
        redactor = redactor_of(Redaction(name, None) for name in redactions)
        admitter, window = Admitter(Settings()), Window(0, 2 * NOW, NOW)
        prepare(body, self.records, window, admitter, 1, redactor, policy)
        started = self.stopwatch()
        prepare(body, self.records, window, admitter, 1, redactor, policy)
        return (self.stopwatch() - started) * 1e6 / self.records


def spread(rounds: Sequence[float]) -> float:
    """Returns the difference between the largest and the smallest value, divided by the median."""
    return (max(rounds) - min(rounds)) / median(rounds)


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
