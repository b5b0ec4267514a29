"""Format of our log lines: JSON lines with trace ids, or columns for a person at a terminal.

Everything goes to stderr, whether it was logged by structlog or by a library through `logging`. Run uvicorn with
`log_config=None`, so that its lines arrive here too.
"""

import json
import logging
import sys
from collections.abc import Sequence
from typing import TextIO

import orjson
import structlog
from opentelemetry import trace
from structlog.typing import EventDict, Processor

_CHATTY = ("aiosqlite", "asyncio", "httpcore", "httpx", "httpx2", "requests", "urllib3")
"""Libraries whose debug and info lines say nothing about Logsieve."""


def configure_logging(level: str, extra: Sequence[Processor] = (), stream: TextIO | None = None) -> logging.Handler:
    """Routes all logging of this process to `stream` (stderr); a second call replaces the first.

    `extra` processors see every line as an event dict that holds its `logging.LogRecord` under `_record`.
    Returns the handler; `remove_logging` removes it again.
    """
    stream = stream or sys.stderr
    before: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _add_trace_ids,
        _resolve_exc_info,
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.stdlib.PositionalArgumentsFormatter(),
            *before,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=before,
            processors=[*extra, structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_rendering(stream)],
        )
    )
    handler.set_name("logsieve")
    root = logging.getLogger()
    for old in [old for old in root.handlers if old.get_name() == "logsieve"]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(level.upper())
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)
    return handler


def remove_logging(handler: logging.Handler) -> None:
    """Removes the handler that `configure_logging` returned."""
    logging.getLogger().removeHandler(handler)
    structlog.reset_defaults()


def _rendering(stream: TextIO) -> tuple[Processor, ...]:
    if stream.isatty():
        # A text from a request, such as a path, may have control characters, which a terminal would obey.
        # Tracebacks are plain, because the default one shows local variables, which may contain secrets.
        plain = structlog.dev.plain_traceback
        return (structlog.dev.ConsoleRenderer(repr_native_str=True, exception_formatter=plain),)
    return (structlog.processors.format_exc_info, structlog.processors.JSONRenderer(serializer=_json))


def _json(event: EventDict, **_: object) -> str:
    try:
        return orjson.dumps(event, default=repr, option=orjson.OPT_NON_STR_KEYS).decode()
    except TypeError:
        # orjson refuses integers of more than 64 bits and lone surrogates. The slower encoder accepts both.
        return json.dumps(event, default=repr, skipkeys=True)


def _add_trace_ids(_logger: object, _method: str, event: EventDict) -> EventDict:
    span = trace.get_current_span().get_span_context()
    if span.is_valid:
        event["trace_id"] = trace.format_trace_id(span.trace_id)
        event["span_id"] = trace.format_span_id(span.span_id)
    return event


def _resolve_exc_info(_logger: object, _method: str, event: EventDict) -> EventDict:
    """Replaces `exc_info=True` by the exception itself while it is still being handled."""
    if event.get("exc_info") is True:
        event["exc_info"] = sys.exc_info()
    return event
