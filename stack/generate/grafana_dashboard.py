"""Makes deploy/grafana/logsieve.json from kit/metrics.py: `python -m stack.generate.grafana_dashboard`, part of
`make docs`.

The first row of the dashboard answers an operator's questions. Below it, every metric has a panel in the row of its
process.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from kit import metrics
from kit.metric import Kind, Metric
from kit.metrics import ALL

SOURCE: Final = {"type": "prometheus", "uid": "${datasource}"}
WIDTH: Final = 24
"""Width of Grafana's grid, in columns."""
HEIGHT: Final = 8
"""Height of a panel, in rows of the grid."""
QUANTILES: Final = ("0.5", "0.99")
UNITS: Final = {"s": "s", "By": "bytes"}


@dataclass(frozen=True, slots=True)
class Query:
    expression: str
    legend: str


@dataclass(frozen=True, slots=True)
class Panel:
    """A chart over time. `unit` is one of Grafana's units."""

    title: str
    description: str
    unit: str
    queries: tuple[Query, ...]


def render_dashboard() -> str:
    """Returns the text of deploy/grafana/logsieve.json."""
    rows = [("Overview", _first_row()), *_rows_of_metrics()]
    dashboard = {
        "title": "Logsieve",
        "uid": "logsieve",
        "tags": ["logsieve"],
        "schemaVersion": 39,
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-3h", "to": "now"},
        "timezone": "browser",
        "templating": {
            "list": [{"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus"}]
        },
        "panels": list(_laid_out(rows)),
    }
    return json.dumps(dashboard, indent=1, ensure_ascii=False) + "\n"


def _first_row() -> list[Panel]:
    requests, search = metrics.RECEIVER_REQUESTS.prometheus_name, metrics.HTTP_SECONDS.prometheus_name
    route = 'http_route="/api/v1/logs/search"'
    disk = "ClickHouseAsyncMetrics_FilesystemMainPath"
    return [
        Panel(
            "Messages lost",
            metrics.LOADER_LOST.description,
            "short",
            (
                Query(
                    f"sum by (instance, partition) ({metrics.LOADER_LOST.prometheus_name})",
                    "{{instance}} partition {{partition}}",
                ),
            ),
        ),
        Panel(
            "OTLP requests by code",
            metrics.RECEIVER_REQUESTS.description,
            "reqps",
            (Query(f"sum by (code) (rate({requests}[$__rate_interval]))", "{{code}}"),),
        ),
        Panel(
            "Age of logs when they become searchable",
            metrics.LOADER_FRESHNESS.description,
            "s",
            _quantiles(metrics.LOADER_FRESHNESS.prometheus_name),
        ),
        Panel(
            "Messages that are not loaded",
            metrics.LOADER_LAG.description,
            "short",
            (Query(f"sum(max by (partition) ({metrics.LOADER_LAG.prometheus_name}))", "all partitions"),),
        ),
        Panel("Time of a search", metrics.HTTP_SECONDS.description, "s", _quantiles(search, route)),
        Panel(
            "Searches by status",
            "Searches for a page of logs, by HTTP status.",
            "reqps",
            (
                Query(
                    f"sum by (http_response_status_code) (rate({search}_count{{{route}}}[$__rate_interval]))",
                    "{{http_response_status_code}}",
                ),
            ),
        ),
        Panel(
            "ClickHouse's free disk",
            "Share of the file system that is free, from ClickHouse's own metrics.",
            "percentunit",
            (Query(f"{disk}AvailableBytes / {disk}TotalBytes", "{{instance}}"),),
        ),
        Panel(
            "Kafka's replicas in sync",
            "Replicas in sync of the partition that has the fewest, from kafka_exporter.",
            "short",
            (Query("min by (topic) (kafka_topic_partition_in_sync_replica)", "{{topic}}"),),
        ),
    ]


def _rows_of_metrics() -> Iterator[tuple[str, list[Panel]]]:
    for process, each in groupby(ALL, lambda metric: metric.name.removeprefix("logsieve.").split(".")[0]):
        yield process, [_panel(metric) for metric in each]


def _panel(metric: Metric) -> Panel:
    unit = UNITS.get(metric.unit, "short")
    legend = " ".join(f"{{{{{label}}}}}" for label in metric.labels) or "all"
    name = metric.prometheus_name
    match metric.kind:
        case Kind.histogram:
            return Panel(metric.name, metric.description, unit, _quantiles(name))
        case Kind.counter:
            rate = _combined("sum", metric.labels, f"rate({name}[$__rate_interval])")
            return Panel(
                metric.name, metric.description, "Bps" if metric.unit == "By" else "cps", (Query(rate, legend),)
            )
        case Kind.gauge if metric is metrics.LOOP_LAST_TURN:
            age = f"time() - {_combined(metric.across.value, metric.labels, name)}"
            return Panel(
                metric.name,
                "Seconds since a background loop's last run without an error.",
                unit,
                (Query(age, legend),),
            )
        case Kind.gauge:
            combined = _combined(metric.across.value, metric.labels, name)
            return Panel(metric.name, metric.description, unit, (Query(combined, legend),))


def _combined(how: str, labels: Sequence[str], expression: str) -> str:
    return f"{how} by ({', '.join(labels)}) ({expression})" if labels else f"{how}({expression})"


def _quantiles(histogram: str, matchers: str = "") -> tuple[Query, ...]:
    buckets = f"{histogram}_bucket" + (f"{{{matchers}}}" if matchers else "")
    return tuple(
        Query(f"histogram_quantile({each}, sum by (le) (rate({buckets}[$__rate_interval])))", f"quantile {each}")
        for each in QUANTILES
    )


def _laid_out(rows: Sequence[tuple[str, Sequence[Panel]]]) -> Iterator[dict[str, Any]]:
    """Yields Grafana's rows and panels: three panels side by side, four in the first row.

    Only the first row is open.
    """
    number = y = 0
    for index, (title, panels) in enumerate(rows):
        number += 1
        row: dict[str, Any] = {"id": number, "type": "row", "title": title, "collapsed": index > 0, "panels": []}
        row["gridPos"] = {"h": 1, "w": WIDTH, "x": 0, "y": y}
        y += 1
        across = 3 if index else 4
        drawn = []
        for place, panel in enumerate(panels):
            number += 1
            x, down = place % across * (WIDTH // across), place // across * HEIGHT
            drawn.append(_drawn(number, panel, {"h": HEIGHT, "w": WIDTH // across, "x": x, "y": y + down}))
        if index:
            yield {**row, "panels": drawn}
        else:
            y += -(-len(panels) // across) * HEIGHT
            yield row
            yield from drawn


def _drawn(number: int, panel: Panel, place: dict[str, int]) -> dict[str, Any]:
    return {
        "id": number,
        "type": "timeseries",
        "title": panel.title,
        "description": panel.description,
        "datasource": SOURCE,
        "gridPos": place,
        "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0}, "overrides": []},
        "targets": [
            {
                "refId": chr(ord("A") + index),
                "datasource": SOURCE,
                "expr": query.expression,
                "legendFormat": query.legend,
            }
            for index, query in enumerate(panel.queries)
        ],
    }


if __name__ == "__main__":
    sys.stdout.write(render_dashboard())
