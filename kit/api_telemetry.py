"""Traces, counts and times the API's requests with FastAPI's own telemetry. Probes and /metrics are excluded.

Each request has a span and is measured by the metrics HTTP_SECONDS and HTTP_ACTIVE of kit/metrics.py. The label is the
route's template, never the raw path. FastAPI has had this since 0.142, so OpenTelemetry's contrib instrumentation is
not needed.
"""

from fastapi.telemetry import TelemetryConfig
from starlette.types import Scope

from kit.ops import PATHS


def fastapi_telemetry() -> TelemetryConfig:
    """Returns the argument for `FastAPI(telemetry=…)`. It uses the providers of `start_telemetry`.

    FastAPI's own log events are off, because the handler that answers an error logs it.
    """
    return TelemetryConfig(logs=False, operation_spans=False, auto_configure=False, exclude=_requested_by_operators)


def _requested_by_operators(scope: Scope) -> bool:
    return scope.get("path") in PATHS
