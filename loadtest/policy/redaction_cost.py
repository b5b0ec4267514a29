"""The cost of redacting bodies for a request in the receiver, beside its cost without."""

import random
from collections.abc import Sequence
from typing import Final

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs

from ingest.receiver.admit import Admitter, Window
from ingest.receiver.prepare import prepare
from kit.settings import Settings
from loadtest.bench import Say
from loadtest.policy.measure import Stopwatch
from loadtest.policy.report import Effort, RedactionCost
from schema.redactions import BUILT_IN, Redaction, redactor_of

BODY_BYTES: Final = (300, 4000)
ATTRIBUTES: Final = 10
NOW: Final = 1_795_000_000_000_000_000
_WORDS: Final = (
    "connection", "reset", "by", "peer", "GET", "/api/v1/orders/12345", "200", "user-id=42", "10.0.0.1", "timeout",
    "after", "1500ms", "INFO", "2026-11-22T01:02:03.004Z", "4bf92f3577b34da6a3ce929d0e0e4736",
)  # fmt: skip


def measure_redactions(effort: Effort, stopwatch: Stopwatch, say: Say) -> list[RedactionCost]:
    """Measures one request of `effort.records` records for each size, the fastest of the rounds."""
    rng = random.Random(effort.seed)
    cases: list[tuple[str, Sequence[str]]] = [("none", ()), *((name, (name,)) for name in BUILT_IN)]
    cases.append(("all built in", tuple(BUILT_IN)))
    costs = []
    for body_bytes in BODY_BYTES:
        request = _request(effort.records, body_bytes, rng)
        for patterns, names in cases:
            say(f"bodies of {body_bytes} bytes, redactions: {patterns}")
            rounds = [_one_round(request, effort.records, names, stopwatch) for _ in range(effort.rounds)]
            costs.append(RedactionCost(patterns=patterns, body_bytes=body_bytes, microseconds=min(rounds)))
    return costs


def _one_round(request: bytes, records: int, names: Sequence[str], stopwatch: Stopwatch) -> float:
    redactor, admitter = redactor_of(Redaction(name, None) for name in names), Admitter(Settings())
    # The first request makes the states that the others search with.
    prepare(request, records, Window(0, 2 * NOW, NOW), admitter, 1, redactor)
    started = stopwatch()
    prepare(request, records, Window(0, 2 * NOW, NOW), admitter, 1, redactor)
    return (stopwatch() - started) * 1e6 / records


def _request(records: int, body_bytes: int, rng: random.Random) -> bytes:
    attributes = [KeyValue(key=f"app.name.{n}", value=AnyValue(string_value="x" * 12)) for n in range(ATTRIBUTES)]
    log_records = [
        LogRecord(
            time_unix_nano=NOW,
            body=AnyValue(string_value=" ".join(rng.choices(_WORDS, k=body_bytes // 4))[:body_bytes]),
            attributes=attributes,
        )
        for _ in range(records)
    ]
    scope_logs = ScopeLogs(log_records=log_records)
    return ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=[scope_logs])]).SerializeToString()
