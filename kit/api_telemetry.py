"""Traces, counts and times the API's requests, by FastAPI's own telemetry.

It keeps a span and the metrics HTTP_SECONDS and HTTP_ACTIVE of kit/metrics.py for each request, labelled with the
route's template, never the raw path. This is built in since FastAPI 0.142; OpenTelemetry's contrib instrumentation
next to it would only do the same once more.
"""

from fastapi.telemetry import TelemetryConfig
from starlette.types import Scope

from kit.ops import PATHS


def fastapi_telemetry() -> TelemetryConfig:
    """Returns the argument of `FastAPI(telemetry=…)`, with the providers of `start_telemetry`.

    FastAPI's own log events are off: an error is logged once, by the handler that answers it.
    """
    return TelemetryConfig(logs=False, operation_spans=False, auto_configure=False, exclude=_asked_by_operators)


def _asked_by_operators(scope: Scope) -> bool:
    return scope.get("path") in PATHS
