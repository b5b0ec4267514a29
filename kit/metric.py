"""The type of the metrics that kit/metrics.py lists."""

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    counter = "counter"
    histogram = "histogram"
    gauge = "gauge"


class Across(Enum):
    """Ways in which a chart combines the values that several processes report of one gauge, for the same labels."""

    sum = "sum"
    """Each process counts things of its own."""
    max = "max"
    """The processes report the same thing, and the largest value is the worst."""
    min = "min"
    """The processes report the same thing, and the smallest value is the worst."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One exported metric. `across` is only used for gauges."""

    name: str
    kind: Kind
    unit: str
    description: str
    labels: tuple[str, ...] = ()
    across: Across = Across.max

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
