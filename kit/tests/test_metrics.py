import re
from pathlib import Path

import pytest
from prometheus_client import REGISTRY, generate_latest

from kit import metrics
from kit.metric import Kind, Metric
from kit.metrics import ALL, SECONDS_BUCKETS

DOCUMENT = Path(__file__).parents[2] / "docs" / "metrics.md"


def row(metric: Metric) -> str:
    labels = ", ".join(f"`{label}`" for label in metric.labels) or "none"
    cells = (f"`{metric.name}`", f"`{metric.prometheus_name}`", metric.kind.value, f"`{metric.unit}`", labels)
    return f"| {' | '.join(cells)} | {metric.description} |"


def test_the_document_lists_exactly_these_metrics() -> None:
    listed = [line for line in DOCUMENT.read_text().splitlines() if re.match(r"\| `.+` \| `.+` \|", line)]
    assert listed == [row(metric) for metric in ALL]


def test_names_are_unique() -> None:
    assert len({metric.prometheus_name for metric in ALL}) == len(ALL)


@pytest.mark.parametrize(
    "metric", [metric for metric in ALL if metric.name.startswith("logsieve.")], ids=lambda m: m.name
)
@pytest.mark.usefixtures("telemetry")
def test_prometheus_shows_each_under_its_name(metric: Metric) -> None:
    labels = dict.fromkeys(metric.labels, "shown")
    match metric.kind:
        case Kind.counter:
            metrics.counter(metric).add(1, labels)
        case Kind.histogram:
            metrics.histogram(metric).record(0.2, labels)
        case Kind.gauge:
            metrics.gauge(metric).set(1, labels)
    text = generate_latest(REGISTRY).decode()
    assert f"# TYPE {metric.prometheus_name} {metric.kind.value}\n" in text
    suffix = "_count" if metric.kind is Kind.histogram else ""
    sample = re.search(rf"^{metric.prometheus_name}{suffix}(?:{{(.*)}})? \d", text, re.MULTILINE)
    assert sample is not None
    assert sorted(re.findall(r"(\w+)=", sample[1] or "")) == sorted(metric.labels)


@pytest.mark.usefixtures("telemetry")
def test_histograms_distinguish_milliseconds_from_minutes() -> None:
    metric = metrics.LOADER_FRESHNESS
    metrics.histogram(metric).record(0.3)
    text = generate_latest(REGISTRY).decode()
    bounds = re.findall(rf'^{metric.prometheus_name}_bucket{{le="([\d.]+)"}}', text, re.MULTILINE)
    assert [float(bound) for bound in bounds] == list(SECONDS_BUCKETS)


def test_the_same_metric_is_the_same_instrument() -> None:
    assert metrics.counter(metrics.LOADER_ROWS) is metrics.counter(metrics.LOADER_ROWS)
