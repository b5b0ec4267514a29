"""Sends our own log lines into Logsieve, as OTLP under the tenant `_self`, without a feedback loop.

The rule against feedback: a line that exists only because one of our own lines is on its way is never exported.
Such lines still reach stderr. They come from two places:

- the exporter itself: it runs inside `own_traffic()`, and log lines of the OpenTelemetry packages and their HTTP
  client are left out by logger name, also when another thread logs them ("queue full");
- the receiver when it handles exported lines: it works inside `own_traffic(...)` while it handles a request of tenant
  `_self`. The loader marks nothing: it logs about a batch only if a message or an insert fails.

The mark is a context variable. It follows `await` and `asyncio.create_task`, but not a new thread or a callback of
another library's thread. Code that hands work to a thread therefore sets the mark again in that thread.
"""

import ssl
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from logging import LogRecord
from types import TracebackType
from typing import TypeAlias

import requests
import structlog
from opentelemetry._logs import SeverityNumber
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.sdk._logs import LoggerProvider, ReadableLogRecord
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor, LogRecordExporter, LogRecordExportResult
from opentelemetry.sdk.resources import Resource

from kit.otlp_session import trust_only

Attribute: TypeAlias = str | bool | int | float
ExcInfo: TypeAlias = tuple[type[BaseException], BaseException, TracebackType | None]

TENANT = "_self"
"""Tenant of our own log lines."""

QUEUE_LINES = 2048
"""Largest number of lines kept while the receiver is unreachable. The oldest are dropped first."""

_EXPORTER_LOGGERS = ("opentelemetry", "urllib3", "requests")
_NOT_ATTRIBUTES = frozenset(
    {"event", "level", "logger", "timestamp", "trace_id", "span_id", "exc_info", "stack_info", "_record"}
    | {"_from_structlog", "_logger", "_name"}
)
_SEVERITIES = (
    (50, SeverityNumber.FATAL),
    (40, SeverityNumber.ERROR),
    (30, SeverityNumber.WARN),
    (20, SeverityNumber.INFO),
    (10, SeverityNumber.DEBUG),
)

_handling_own_traffic: ContextVar[bool] = ContextVar("logsieve_own_traffic", default=False)


@contextmanager
def own_traffic(mine: bool = True) -> Iterator[None]:
    """Marks everything in the block as caused by our own logs. `own_traffic(False)` marks nothing."""
    token = _handling_own_traffic.set(_handling_own_traffic.get() or mine)
    try:
        yield
    finally:
        _handling_own_traffic.reset(token)


def http_exporter(endpoint: str, ingest_key: str, tls: Callable[[], ssl.SSLContext] | None = None) -> LogRecordExporter:
    """Returns an OTLP/HTTP exporter that abandons a batch after 5 seconds: at most three attempts.

    `tls` returns the certificates that replace the public authorities for an https endpoint. It is called before each
    request.
    """
    return OTLPLogExporter(
        endpoint=endpoint,
        headers={"authorization": f"Bearer {ingest_key}"},
        timeout=5,
        compression=Compression.Gzip,
        session=requests.Session() if tls is None else trust_only(requests.Session(), tls),
    )


class SelfLogs:
    """A structlog processor that passes each line to an exporter and returns it unchanged.

    Put it into `ProcessorFormatter.processors`, where lines of structlog and of `logging` look alike. At most
    `queue_lines` lines are queued. A background thread sends them, so logging never waits for the network.
    """

    def __init__(
        self,
        exporter: LogRecordExporter,
        resource: Resource,
        queue_lines: int = QUEUE_LINES,
        schedule_seconds: float = 1.0,
    ) -> None:
        self._exporter = _Unlogged(exporter)
        self._provider = LoggerProvider(resource, shutdown_on_exit=False)
        self._provider.add_log_record_processor(
            BatchLogRecordProcessor(
                self._exporter,
                schedule_delay_millis=schedule_seconds * 1000,
                max_export_batch_size=min(512, queue_lines),
                max_queue_size=queue_lines,
            )
        )

    def __call__(self, _logger: object, _method: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
        record: LogRecord = event["_record"]
        if not _caused_by_ourselves(record):
            self._provider.get_logger(record.name).emit(
                timestamp=round(record.created * 1e9),
                severity_number=_severity(record.levelno),
                severity_text=str(event.get("level", record.levelname)).upper(),
                body=_text(str(event.get("event", ""))),
                attributes={key: _attribute(value) for key, value in event.items() if key not in _NOT_ATTRIBUTES},
                exception=_exception(event.get("exc_info")),
            )
        return event

    def flush(self) -> None:
        """Sends the queued lines. Returns when they are sent or abandoned."""
        self._provider.force_flush()

    def shutdown(self) -> None:
        """Sends the queued lines and stops the thread. Takes up to 5 seconds for each 512 lines if the endpoint does
        not answer."""
        self._provider.shutdown()

    def give_up(self) -> None:
        """Ends a `shutdown` that takes too long: drops the queued lines and retries nothing."""
        self._exporter.shutdown()


class _Unlogged(LogRecordExporter):
    """Exports inside `own_traffic()`."""

    def __init__(self, exporter: LogRecordExporter) -> None:
        self._exporter = exporter

    def export(self, batch: Sequence[ReadableLogRecord]) -> LogRecordExportResult:
        with own_traffic():
            return self._exporter.export(batch)

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        return self._exporter.force_flush(timeout_millis)

    def shutdown(self) -> None:
        self._exporter.shutdown()  # type: ignore[no-untyped-call]  # the SDK leaves it without a return type


def _caused_by_ourselves(record: LogRecord) -> bool:
    return _handling_own_traffic.get() or record.name.partition(".")[0] in _EXPORTER_LOGGERS


def _severity(level: int) -> SeverityNumber:
    return next((severity for lowest, severity in _SEVERITIES if level >= lowest), SeverityNumber.TRACE)


def _exception(info: BaseException | ExcInfo | object) -> BaseException | None:
    if isinstance(info, BaseException):
        return info
    if isinstance(info, tuple) and len(info) == 3 and isinstance(info[1], BaseException):
        return info[1]
    return None


def _attribute(value: object) -> Attribute:
    """Converts lists, maps and values that OTLP cannot encode to text. One value that cannot be encoded would cost the
    whole batch."""
    if isinstance(value, bool | float):
        return value
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return value
    if isinstance(value, Mapping | Sequence) and not isinstance(value, str | bytes):
        return _text(repr(value))
    return _text(str(value))


def _text(value: str) -> str:
    return value.encode(errors="backslashreplace").decode()
