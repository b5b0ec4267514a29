"""Sends the sample logs as a customer's program would: with the OpenTelemetry SDK, OTLP over HTTP and an ingest key."""

import ssl
from collections.abc import Callable
from dataclasses import dataclass

from opentelemetry import trace
from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk.resources import Resource
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags

from kit.clock import SystemClock
from kit.otlp_session import trust_only
from stack.samples.acknowledged import AcknowledgedExport, Answers
from stack.samples.record import Instance, SampleRecord
from stack.samples.story import generate

COUNT = 5000
REQUEST_SECONDS = 30.0
"""Longest time, in seconds, that one request is retried by the SDK before sending fails."""

_OBSERVED_AFTER_NS = 2_000_000


@dataclass(frozen=True, slots=True)
class SendReport:
    """Records that were sent and acknowledged."""

    records: int
    requests: int
    first_ns: int
    last_ns: int


def send_samples(  # noqa: PLR0913 what to send and where to are all plain values of one command
    endpoint_http: str,
    ingest_key: str,
    *,
    count: int = COUNT,
    seed: int = 1,
    now_ns: int | None = None,
    skip: int = 0,
    progress: Callable[[int], None] = lambda _acknowledged: None,
    tls: ssl.SSLContext | None = None,
) -> SendReport:
    """Sends `count` sample records of the 6 hours before `now_ns`, without the first `skip`, and returns when all are
    acknowledged.

    `endpoint_http` is the receiver's base URL (`http://127.0.0.1:4318`). `progress` is called with the number of
    records that have been acknowledged so far. `tls` replaces the public authorities when the certificate of an https
    receiver is checked. Raises Unauthenticated, Forbidden, RateLimited or Unavailable, depending on the receiver's
    answer, and InvalidRequest if the receiver refused some records. Records that were acknowledged before the error
    stay stored.
    """
    answers = Answers()
    session = answers.session() if tls is None else trust_only(answers.session(), lambda: tls)
    exporter = OTLPLogExporter(
        endpoint=f"{endpoint_http.rstrip('/')}/v1/logs",
        headers={"authorization": f"Bearer {ingest_key}"},
        timeout=REQUEST_SECONDS,
        compression=Compression.Gzip,
        session=session,
    )
    export = AcknowledgedExport(exporter, answers, progress)
    providers: dict[Instance, LoggerProvider] = {}
    records = list(generate(seed, SystemClock().now_ns() if now_ns is None else now_ns, count))
    try:
        for record in records[skip:]:
            if record.instance not in providers:
                provider = LoggerProvider(Resource(record.instance.resource), shutdown_on_exit=False)
                provider.add_log_record_processor(export)
                providers[record.instance] = provider
            providers[record.instance].get_logger(record.instance.scope).emit(_sdk_record(record))
        export.flush()
    finally:
        exporter.shutdown()  # type: ignore[no-untyped-call]  # the SDK leaves it without a return type
    return SendReport(
        records=export.acknowledged,
        requests=export.requests,
        first_ns=records[0].timestamp_ns,
        last_ns=records[-1].timestamp_ns,
    )


def _sdk_record(record: SampleRecord) -> LogRecord:
    return LogRecord(
        timestamp=record.timestamp_ns,
        observed_timestamp=record.timestamp_ns + _OBSERVED_AFTER_NS,
        context=_context(record),
        severity_number=SeverityNumber(int(record.severity)),
        severity_text=record.severity.name.upper(),
        body=record.body,
        attributes=record.attributes,
        event_name=record.event_name,
    )


def _context(record: SampleRecord) -> Context:
    """Returns the context of a record. Lines outside requests get an empty one, so that the caller's span is not
    used."""
    span = SpanContext(
        record.trace_id, record.span_id, is_remote=False, trace_flags=TraceFlags(int(record.trace_id > 0))
    )
    return trace.set_span_in_context(NonRecordingSpan(span), Context())
