"""The type of the metrics that kit/metrics.py lists."""

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    counter = "counter"
    histogram = "histogram"
    gauge = "gauge"


@dataclass(frozen=True, slots=True)
class Metric:
    """One exported metric."""

    name: str
    kind: Kind
    unit: str
    description: str
    labels: tuple[str, ...] = ()

    @property
    def prometheus_name(self) -> str:
        """Returns the metric's name in the Prometheus text. A counter ends in `_total`; seconds and bytes are named as
        units.

        Source: OpenTelemetry specification, "Prometheus and OpenMetrics Compatibility", metric metadata.
        """
        unit = {"s": "_seconds", "By": "_bytes"}.get(self.unit, "")
        base = self.name.replace(".", "_")
        suffix = "" if base.endswith(unit) else unit
        return base + suffix + ("_total" if self.kind is Kind.counter else "")
