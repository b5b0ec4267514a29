"""Every metric Logsieve exports, once. docs/metrics.md lists the same; a test holds it to this file.

Names follow OpenTelemetry; the Prometheus text shows dots as underscores and adds the unit. Labels are few and of
bounded cardinality: never a tenant's query text, a trace id or a key.
"""

from dataclasses import dataclass
from enum import Enum

from opentelemetry import metrics


class Kind(Enum):
    counter = "counter"
    histogram = "histogram"
    gauge = "gauge"


@dataclass(frozen=True, slots=True)
class Metric:
    """One exported series family."""

    name: str
    kind: Kind
    unit: str
    description: str
    labels: tuple[str, ...] = ()


RECEIVER_REQUESTS = Metric(
    "logsieve.receiver.requests", Kind.counter, "{request}", "OTLP requests answered.", ("protocol", "code")
)
RECEIVER_RECORDS = Metric(
    "logsieve.receiver.records", Kind.counter, "{record}", "Log records accepted or refused.", ("outcome",)
)
RECEIVER_BYTES = Metric("logsieve.receiver.bytes", Kind.counter, "By", "Decompressed bytes of accepted requests.")
RECEIVER_ACK_SECONDS = Metric(
    "logsieve.receiver.ack.duration", Kind.histogram, "s", "From request to Kafka's acknowledgement.", ("protocol",)
)

LOADER_ROWS = Metric("logsieve.loader.rows", Kind.counter, "{row}", "Rows inserted into ClickHouse.", ("lane",))
LOADER_BATCHES = Metric("logsieve.loader.batches", Kind.counter, "{batch}", "Batches inserted.", ("lane",))
LOADER_INSERT_SECONDS = Metric(
    "logsieve.loader.insert.duration", Kind.histogram, "s", "Time of one insert.", ("lane",)
)
LOADER_RETRIES = Metric("logsieve.loader.retries", Kind.counter, "{retry}", "Inserts tried again.", ("reason",))
LOADER_LAG = Metric(
    "logsieve.loader.lag", Kind.gauge, "{message}", "Messages in Kafka that are not inserted yet.", ("partition",)
)
LOADER_FRESHNESS = Metric(
    "logsieve.loader.freshness", Kind.histogram, "s", "From arrival at the receiver to inserted, a batch's oldest."
)
LOADER_UNDECODABLE = Metric(
    "logsieve.loader.undecodable", Kind.counter, "{message}", "Kafka messages that could not be decoded."
)

API_REQUESTS = Metric(
    "logsieve.api.requests", Kind.counter, "{request}", "API requests answered.", ("route", "method", "status")
)
API_SECONDS = Metric(
    "logsieve.api.duration", Kind.histogram, "s", "Time to answer an API request.", ("route", "method")
)
SEARCH_ROWS_READ = Metric(
    "logsieve.search.rows_read", Kind.counter, "{row}", "Rows ClickHouse read for searches.", ("plan",)
)
SEARCH_BYTES_READ = Metric(
    "logsieve.search.bytes_read", Kind.counter, "By", "Bytes ClickHouse read for searches.", ("plan",)
)

CONTROL_REFRESH_FAILURES = Metric(
    "logsieve.control.refresh_failures", Kind.counter, "{failure}", "Reads of the control plane that failed."
)

ALL: tuple[Metric, ...] = tuple(value for value in dict(globals()).values() if isinstance(value, Metric))

_meter = metrics.get_meter("logsieve")


def counter(metric: Metric) -> metrics.Counter:
    """The counter behind a metric of kind counter."""
    return _meter.create_counter(metric.name, metric.unit, metric.description)


def histogram(metric: Metric) -> metrics.Histogram:
    """The histogram behind a metric of kind histogram."""
    return _meter.create_histogram(metric.name, metric.unit, metric.description)


def gauge(metric: Metric) -> metrics._Gauge:
    """The gauge behind a metric of kind gauge."""
    return _meter.create_gauge(metric.name, metric.unit, metric.description)
