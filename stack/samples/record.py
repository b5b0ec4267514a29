"""One sample log."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from schema.severity import Severity

Value: TypeAlias = str | bool | int | float
Body: TypeAlias = str | Mapping[str, Value | Mapping[str, Value]]


@dataclass(frozen=True, slots=True)
class Instance:
    """One pod of one service in one version, which an OpenTelemetry resource describes."""

    service: str
    version: str
    pod: str
    host: str
    scope: str

    @property
    def resource(self) -> dict[str, str]:
        """Resource attributes by semantic-convention name."""
        return {
            "service.name": self.service,
            "service.version": self.version,
            "service.instance.id": self.pod,
            "k8s.pod.name": self.pod,
            "k8s.namespace.name": "shop",
            "host.name": self.host,
            "deployment.environment.name": "production",
        }


@dataclass(frozen=True, slots=True)
class SampleRecord:
    """One log record. Its trace id and span id are 0 if it belongs to no request."""

    timestamp_ns: int
    instance: Instance
    severity: Severity
    body: Body
    attributes: Mapping[str, Value]
    trace_id: int = 0
    span_id: int = 0
    event_name: str | None = None
