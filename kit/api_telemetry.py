"""Traces, counts and times the API's requests with FastAPI's own telemetry. Probes, /metrics and requests with too many
parameters are excluded.

Each request has a span and is measured by the metrics HTTP_SECONDS and HTTP_ACTIVE of kit/metrics.py. The label is the
route's template, never the raw path. FastAPI has had this since 0.142, so OpenTelemetry's contrib instrumentation is
not needed.
"""

from typing import Final

from fastapi.telemetry import TelemetryConfig
from starlette.types import Scope

from kit.ops import PATHS

MAX_PARAMETERS: Final = 200
"""Largest number of parameters in a URL. Parameters are read before the key is checked. The longest URL could have some
32,000. Reading these takes 20 ms, in which no other request is answered, and as long again for a span."""


def fastapi_telemetry() -> TelemetryConfig:
    """Returns the argument for `FastAPI(telemetry=…)`. It uses the providers of `start_telemetry`.

    FastAPI's own log events are off, because the handler that answers an error logs it.
    """
    return TelemetryConfig(logs=False, operation_spans=False, auto_configure=False, exclude=_is_excluded)


def has_too_many_parameters(scope: Scope) -> bool:
    """Returns whether the URL of an HTTP request has more than MAX_PARAMETERS parameters. The API refuses it."""
    query: bytes = scope["query_string"]
    return query.count(b"&") >= MAX_PARAMETERS


def _is_excluded(scope: Scope) -> bool:
    return scope["path"] in PATHS or has_too_many_parameters(scope)
