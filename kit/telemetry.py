"""Telemetry of our processes: `start_telemetry` once at the start, `Telemetry.shutdown` at the end.

kit/log.py formats log lines, and kit/self_logs.py sends them into Logsieve itself. kit/metrics.py defines the metrics,
and kit/ops.py shows them. Spans always have ids, so that log lines can be joined; they are exported only if
`traces_endpoint` is set. OpenTelemetry's providers can be set once in a process, so meter and tracer provider live as
long as it does: a second `start_telemetry` (tests) shares the providers of the first and sets up only logging.
"""

import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from logging import Handler
from typing import TextIO

import structlog
from opentelemetry import metrics, trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.view import ExplicitBucketHistogramAggregation, View
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.trace import Span, SpanKind

from kit.errors import InvalidRequest
from kit.log import configure_logging, remove_logging
from kit.metrics import HTTP_SECONDS, SECONDS_BUCKETS
from kit.query_spans import WithoutQueries
from kit.self_logs import SelfLogs, http_exporter
from kit.settings import Settings
from kit.tls import own_ports

SHUTDOWN_SECONDS = 2.0
"""Longest time that `Telemetry.shutdown` waits for the last lines and spans, in seconds. The rest is dropped."""

log = structlog.get_logger()

_starting = threading.Lock()


@dataclass(frozen=True)
class Telemetry:
    """Providers and exporters that `start_telemetry` started."""

    service: str
    tracer_provider: TracerProvider
    self_logs: SelfLogs | None
    handler: Handler

    def shutdown(self, seconds: float = SHUTDOWN_SECONDS, *, receiver_ended: bool = False) -> None:
        """Sends the queued lines and spans for about `seconds` at most. Nothing is logged afterwards.

        `receiver_ended`: this process was the receiver of its own lines. The queued lines are dropped without an
        attempt to send them; stderr has them.
        """
        if receiver_ended and self.self_logs is not None:
            self.self_logs.give_up()
        closing = threading.Thread(target=self._close, name="telemetry-shutdown", daemon=True)
        closing.start()
        closing.join(seconds)
        if closing.is_alive() and self.self_logs is not None:
            self.self_logs.give_up()
            closing.join(0.5)
        remove_logging(self.handler)

    def _close(self) -> None:
        if self.self_logs is not None:
            self.self_logs.shutdown()
        self.tracer_provider.force_flush()


def start_telemetry(settings: Settings, service: str, stream: TextIO | None = None) -> Telemetry:
    """Starts logging, metrics and tracing of this process as service `logsieve-<service>`.

    `stream` takes the log lines instead of stderr. `service` is a single word such as `receiver`. Raises InvalidRequest
    if the settings require that own logs are sent, but have no key to send them with.
    """
    if settings.self_logs and not settings.self_key:
        raise InvalidRequest(
            "LOGSIEVE_SELF_LOGS is true, and LOGSIEVE_SELF_INGEST_KEY is not set: set it to an ingest key of tenant"
            " _self (`logsieve key create _self ingest`), or set LOGSIEVE_SELF_LOGS=false"
        )
    resource = Resource.create(
        {
            "service.name": f"logsieve-{service}",
            "service.version": version("logsieve"),
            "service.instance.id": str(uuid.uuid4()),
        }
    )
    with _starting:
        _start_metrics(resource)
        tracer_provider = _start_traces(resource, settings.traces_endpoint)
    self_logs = _self_logs(settings, resource)
    handler = configure_logging(settings.log_level, extra=(self_logs,) if self_logs else (), stream=stream)
    if settings.self_logs and settings.lacks_client_certificate:
        log.warning(
            "own logs are not sent because LOGSIEVE_TLS_CLIENT_CA_FILE makes OTLP clients show a certificate; set"
            " LOGSIEVE_TLS_CLIENT_CERT_FILE and LOGSIEVE_TLS_CLIENT_KEY_FILE"
        )
    return Telemetry(service, tracer_provider, self_logs, handler)


@contextmanager
def client_span(name: str, **attributes: str | int | float | bool) -> Iterator[Span]:
    """Yields a span around one call of ClickHouse, Kafka or another service, named by the semantic conventions (`SELECT
    logs_0`).

    An exception that leaves it is recorded on the span. Attribute names with dots go as `**{"db.system.name": …}`.
    """
    tracer = trace.get_tracer("logsieve")
    with tracer.start_as_current_span(name, kind=SpanKind.CLIENT, attributes=attributes) as span:
        yield span


def _start_metrics(resource: Resource) -> None:
    if not isinstance(metrics.get_meter_provider(), MeterProvider):
        reader = PrometheusMetricReader(scope_info_enabled=False)
        buckets = ExplicitBucketHistogramAggregation(SECONDS_BUCKETS)
        view = View(instrument_name=HTTP_SECONDS.name, aggregation=buckets)
        metrics.set_meter_provider(MeterProvider([reader], resource, views=[view]))


def _start_traces(resource: Resource, endpoint: str | None) -> TracerProvider:
    current = trace.get_tracer_provider()
    if isinstance(current, TracerProvider):
        return current
    # Spans that nobody receives are not recorded. They still have ids, which log lines show.
    sampler = ALWAYS_OFF if endpoint is None else None
    provider = TracerProvider(sampler, resource, shutdown_on_exit=False)
    if endpoint is not None:
        provider.add_span_processor(WithoutQueries())
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint, timeout=5)))
    trace.set_tracer_provider(provider)
    return provider


def _self_logs(settings: Settings, resource: Resource) -> SelfLogs | None:
    if not settings.self_logs or settings.lacks_client_certificate:
        return None
    own_receiver = f"{settings.http_scheme}://127.0.0.1:{settings.port(settings.otlp_http_port)}/v1/logs"
    tls = partial(own_ports, settings) if settings.tls_cert_file else None
    return SelfLogs(http_exporter(settings.self_logs_url or own_receiver, settings.self_key, tls), resource)
