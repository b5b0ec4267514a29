"""Defines every metric that Logsieve exports. docs/metrics.md lists them; a test compares the two.

Names follow OpenTelemetry; `/metrics` shows them under `prometheus_name`. Labels are few and of bounded cardinality:
never a tenant's query text, a trace id or a key.
"""

from functools import cache
from typing import Protocol

from opentelemetry import metrics
from opentelemetry.util.types import Attributes

from kit.metric import Across, Kind, Metric

RECEIVER_REQUESTS = Metric(
    "logsieve.receiver.requests", Kind.counter, "{request}", "OTLP requests answered.", ("protocol", "code")
)
RECEIVER_RECORDS = Metric(
    "logsieve.receiver.records",
    Kind.counter,
    "{record}",
    "Log records, by outcome: `accepted` or `refused`.",
    ("outcome",),
)
RECEIVER_BYTES = Metric("logsieve.receiver.bytes", Kind.counter, "By", "Decompressed bytes of accepted requests.")
RECEIVER_ATTRIBUTES = Metric(
    "logsieve.receiver.attributes",
    Kind.counter,
    "{attribute}",
    "Attributes that the policy dropped or masked.",
    ("action",),
)
RECEIVER_REDACTED = Metric(
    "logsieve.receiver.redacted", Kind.counter, "{match}", "Matches of redactions that were replaced in bodies."
)
RECEIVER_INVALID_UTF8 = Metric(
    "logsieve.receiver.invalid_utf8",
    Kind.counter,
    "{sequence}",
    "Byte sequences that were not UTF-8 and were replaced by U+FFFD.",
)
RECEIVER_REFUSED = Metric(
    "logsieve.receiver.refused", Kind.counter, "{request}", "Requests of known tenants refused as a whole.", ("reason",)
)
RECEIVER_ACK_SECONDS = Metric(
    "logsieve.receiver.ack.duration",
    Kind.histogram,
    "s",
    "Time from a request to Kafka's acknowledgement.",
    ("protocol",),
)

LOADER_ROWS = Metric("logsieve.loader.rows", Kind.counter, "{row}", "Rows inserted into ClickHouse.", ("lane",))
LOADER_BATCHES = Metric(
    "logsieve.loader.batches", Kind.counter, "{batch}", "Inserts of rows of one lane into ClickHouse.", ("lane",)
)
LOADER_INSERT_SECONDS = Metric(
    "logsieve.loader.insert.duration", Kind.histogram, "s", "Duration of one insert.", ("lane",)
)
LOADER_BATCH_ROWS = Metric("logsieve.loader.batch.size", Kind.histogram, "{row}", "Rows in one insert.", ("lane",))
LOADER_RETRIES = Metric(
    "logsieve.loader.retries", Kind.counter, "{retry}", "Failed steps of loading that were repeated.", ("reason",)
)
LOADER_LAG = Metric(
    "logsieve.loader.lag", Kind.gauge, "{message}", "Messages in Kafka that are not inserted yet.", ("partition",)
)
LOADER_LAG_SECONDS = Metric(
    "logsieve.loader.lag.age",
    Kind.gauge,
    "s",
    "Age of the oldest message that the loader holds and has not inserted yet. Before Kafka has said where the"
    " partition continues: seconds since its assignment.",
    ("partition",),
)
LOADER_FRESHNESS = Metric(
    "logsieve.loader.freshness",
    Kind.histogram,
    "s",
    "Time from arrival at the receiver to the insert, for a batch's oldest message.",
)
LOADER_DEAD_LETTERS = Metric(
    "logsieve.loader.dead_letters",
    Kind.counter,
    "{message}",
    "Messages that could not be loaded and became dead letters.",
    ("code",),
)
LOADER_SPLITS = Metric(
    "logsieve.loader.splits",
    Kind.counter,
    "{insert}",
    "Inserts that were halved because they cost too much.",
    ("lane",),
)
LOADER_LOST = Metric(
    "logsieve.loader.lost",
    Kind.counter,
    "{message}",
    "Messages that Kafka's retention deleted before they were loaded.",
    ("partition",),
)

HTTP_SECONDS = Metric(
    "http.server.request.duration",
    Kind.histogram,
    "s",
    "Time from an API request to the last byte of its answer. FastAPI records it.",
    (
        "http_route",
        "http_request_method",
        "http_response_status_code",
        "error_type",
        "url_scheme",
        "network_protocol_version",
    ),
)
HTTP_ACTIVE = Metric(
    "http.server.active_requests",
    Kind.gauge,
    "{request}",
    "API requests that are being answered, including live tails. FastAPI records it.",
    ("http_request_method", "url_scheme"),
    Across.sum,
)
HTTP_REFUSED = Metric(
    "logsieve.http.refused",
    Kind.counter,
    "{connection}",
    "Connections that a server limit closed without the application's answer.",
    ("reason",),
)
CLICKHOUSE_ANSWERS = Metric(
    "logsieve.clickhouse.answers",
    Kind.gauge,
    "1",
    "Whether a ClickHouse server answers this API process: 1 or 0.",
    ("shard", "replica"),
    Across.min,
)
HEDGED = Metric(
    "logsieve.search.hedged",
    Kind.counter,
    "{statement}",
    "Statements of searches that were also sent to a second replica, because the first one was late, by the replica"
    " that answered: first or second.",
    ("answered",),
)
SEARCH_ROWS_READ = Metric(
    "logsieve.search.rows_read", Kind.counter, "{row}", "Rows that ClickHouse read for searches.", ("plan",)
)
SEARCH_BYTES_READ = Metric(
    "logsieve.search.read", Kind.counter, "By", "Bytes that ClickHouse read for searches.", ("plan",)
)
SEARCH_WAIT_SECONDS = Metric(
    "logsieve.search.wait.duration", Kind.histogram, "s", "Time that a statement waited in the queue.", ("queue",)
)
SEARCH_REFUSED = Metric(
    "logsieve.search.refused",
    Kind.counter,
    "{statement}",
    "Statements refused because too many waited or the wait was too long.",
    ("queue",),
)

TAIL_ACTIVE = Metric(
    "logsieve.tail.active", Kind.gauge, "{tail}", "Live tails that follow the topic.", across=Across.sum
)
TAIL_MESSAGES = Metric(
    "logsieve.tail.messages", Kind.counter, "{message}", "Messages that live tails read from Kafka.", ("outcome",)
)
TAIL_RECORDS = Metric("logsieve.tail.records", Kind.counter, "{record}", "Records sent to clients of live tails.")
TAIL_ENDED = Metric("logsieve.tail.ended", Kind.counter, "{tail}", "Live tails that the server ended.", ("code",))
TAIL_GAPS = Metric(
    "logsieve.tail.gaps", Kind.counter, "{gap}", "Resumed live tails whose client was notified of missing records."
)

STORAGE_USED = Metric(
    "logsieve.storage.used",
    Kind.gauge,
    "1",
    "Used share, 0 to 1, of a ClickHouse server's fullest volume, or of its hot and cold volumes together.",
    ("server",),
)
STORAGE_OVER = Metric(
    "logsieve.storage.over",
    Kind.gauge,
    "By",
    "Bytes by which a server would exceed LOGSIEVE_STORAGE_TARGET_PERCENT if tenants lost all days that they may lose.",
    ("server",),
)
STORAGE_LOSING = Metric(
    "logsieve.storage.losing", Kind.gauge, "{tenant}", "Tenants predicted to lose days within 30 days to a full disk."
)
TIERING_MOVED = Metric(
    "logsieve.tiering.moved", Kind.counter, "By", "Bytes of partitions that a loader moved to the cold volume."
)
SEARCHED_WORDS_BUILDS = Metric(
    "logsieve.searched_words.builds",
    Kind.counter,
    "{partition}",
    "Builds of the index on searched words for a table partition, by outcome: `started` or `failed`.",
    ("outcome",),
)
LOADER_DISK_FULL = Metric(
    "logsieve.loader.disk_full", Kind.gauge, "1", "1 while a full disk stops inserts on a shard, else 0.", ("shard",)
)

CONTROL_REFRESH_FAILURES = Metric(
    "logsieve.control.refresh_failures", Kind.counter, "{failure}", "Reads of the control plane that failed."
)

CONTROL_SKIPPED_ROWS = Metric(
    "logsieve.control.skipped_rows",
    Kind.counter,
    "{row}",
    "Rows of the control plane that a process left out of its copy because it does not know their meaning.",
    ("table",),
)

LOOP_FAILURES = Metric(
    "logsieve.loop.failures", Kind.counter, "{failure}", "Runs of a background loop that failed.", ("loop",)
)
LOOP_LAST_TURN = Metric(
    "logsieve.loop.last_turn",
    Kind.gauge,
    "s",
    "Unix time of a background loop's last run without an error.",
    ("loop",),
    Across.min,
)

ALERT_LAG_SECONDS = Metric(
    "logsieve.alerts.lag",
    Kind.histogram,
    "s",
    "Time from the due time of an alert rule until its evaluation is stored.",
)
ALERT_LOGS_BEHIND = Metric(
    "logsieve.alerts.logs_behind",
    Kind.gauge,
    "s",
    "Seconds by which loaders are behind, on the slowest shard: all logs that Kafka acknowledged earlier than this are"
    " stored. Alert rules wait for them.",
)
ALERT_EVALUATIONS = Metric(
    "logsieve.alerts.evaluations",
    Kind.counter,
    "{evaluation}",
    "Evaluations of alert rules, by outcome: `done`, `error`, or `lost` if the rule was changed or claimed again"
    " meanwhile.",
    ("outcome",),
)
ALERT_NOTICES = Metric(
    "logsieve.alerts.notices",
    Kind.counter,
    "{attempt}",
    "Attempts to send a notice of an alert, by outcome: `sent` or `failed`.",
    ("outcome",),
)

ALL: tuple[Metric, ...] = tuple(value for value in dict(globals()).values() if isinstance(value, Metric))

SECONDS_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Upper bounds of histograms of time: from a cached answer to the longest search allowed."""

COUNT_BUCKETS = (1.0, 10.0, 100.0, 500.0, 1000.0, 5000.0, 10_000.0, 25_000.0, 50_000.0, 100_000.0, 200_000.0, 400_000.0)
"""Upper bounds of histograms that count: up to twice a batch of the default size."""

_meter = metrics.get_meter("logsieve")


class Gauge(Protocol):
    """Interface of a gauge; the OpenTelemetry API has the class but no public name for it yet."""

    def set(self, amount: int | float, attributes: Attributes = None) -> None:
        """Records the current value for the given labels."""
        ...


@cache
def counter(metric: Metric) -> metrics.Counter:
    """Returns the metric's counter, the same object in every call."""
    return _meter.create_counter(metric.name, metric.unit, metric.description)


@cache
def histogram(metric: Metric) -> metrics.Histogram:
    """Returns the metric's histogram, the same object in every call."""
    buckets = SECONDS_BUCKETS if metric.unit == "s" else COUNT_BUCKETS
    return _meter.create_histogram(
        metric.name, metric.unit, metric.description, explicit_bucket_boundaries_advisory=buckets
    )


@cache
def gauge(metric: Metric) -> Gauge:
    """Returns the metric's gauge, the same object in every call."""
    return _meter.create_gauge(metric.name, metric.unit, metric.description)
