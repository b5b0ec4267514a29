"""The policy's cost for a request in the receiver, beside the cost of decoding it."""

import random
from collections.abc import Sequence
from typing import Final

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs

from ingest.policy.apply import apply_policy
from ingest.policy.policy import Policy
from ingest.receiver.prepare import parse
from ingest.receiver.survey import survey
from loadtest.bench import Say
from loadtest.policy.measure import Stopwatch
from loadtest.policy.report import Effort, RequestCost
from loadtest.policy.workload import make_records, make_rules
from schema.attribute_rules import TenantRules

RULES: Final = 100
HIT_SHARES: Final = (0.0, 0.01, 0.1)
TEXT_SHARE: Final = 0.8
"""Share of values that are text; the others are numbers, as status codes, ports and durations are."""


def measure_requests(effort: Effort, stopwatch: Stopwatch, say: Say) -> list[RequestCost]:
    """Measures one request of `effort.records` protobuf records for each share, the fastest of the rounds."""
    rng = random.Random(effort.seed)
    rules = make_rules(RULES, rng)
    policy = Policy(TenantRules(tuple(rules)))
    costs = []
    for hit_share in HIT_SHARES:
        say(f"a request of {effort.records} records, {hit_share:.0%} of attributes meet a rule")
        body = _request(make_records(rules, 1 - hit_share, True, effort.records, rng), rng)
        rounds = [_one_round(body, effort.records, policy, stopwatch) for _ in range(effort.rounds)]
        decoding, applying, writing = (min(each) for each in zip(*rounds, strict=True))
        costs.append(RequestCost(hit_share=hit_share, decoding=decoding, applying=applying, writing=writing))
    return costs


def _one_round(body: bytes, records: int, policy: Policy, stopwatch: Stopwatch) -> tuple[float, float, float]:
    started = stopwatch()
    survey(body, records, 1)
    request = parse(body)
    decoded = stopwatch()
    changed = apply_policy(request, policy).changed
    applied = stopwatch()
    if changed:
        request.SerializeToString()
    written = stopwatch()
    per_record = 1e6 / records
    return (decoded - started) * per_record, (applied - decoded) * per_record, (written - applied) * per_record


def _request(records: Sequence[Sequence[str]], rng: random.Random) -> bytes:
    log_records = [
        LogRecord(
            time_unix_nano=1,
            body=AnyValue(string_value="x" * 300),
            attributes=[KeyValue(key=name, value=_value(rng)) for name in names],
        )
        for names in records
    ]
    scope_logs = ScopeLogs(log_records=log_records)
    return ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=[scope_logs])]).SerializeToString()


def _value(rng: random.Random) -> AnyValue:
    if rng.random() < TEXT_SHARE:
        return AnyValue(string_value=f"{rng.getrandbits(64):016x}")
    return AnyValue(int_value=rng.randrange(100_000))
