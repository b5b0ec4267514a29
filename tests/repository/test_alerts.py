"""Tests that alerts and the dashboard use existing metrics and labels. Starts no process."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import grpc
import pytest
import yaml

from kit import metrics
from kit.folders import PACKAGES
from kit.metric import Kind, Metric
from kit.metrics import ALL
from kit.settings import Settings
from stack.generate.grafana_dashboard import render_dashboard
from tests.repository.promql import Selection, selections

PROMETHEUS: dict[str, Any] = yaml.safe_load((PACKAGES / "deploy" / "prometheus" / "prometheus.yml").read_text())
GROUPS: list[dict[str, Any]] = yaml.safe_load((PACKAGES / "deploy" / "prometheus" / "rules.yml").read_text())["groups"]
RULES: dict[str, dict[str, Any]] = {rule["alert"]: rule for group in GROUPS for rule in group["rules"]}
EXAMPLES: list[dict[str, Any]] = yaml.safe_load((PACKAGES / "deploy" / "prometheus" / "rules_test.yml").read_text())[
    "tests"
]
DASHBOARD = PACKAGES / "deploy" / "grafana" / "logsieve.json"

SCRAPED: Final = {"job", "instance"}
"""Labels that Prometheus adds to every series."""
OTHERS: Final[dict[str, set[str]]] = {
    "up": set(),
    "ClickHouseAsyncMetrics_FilesystemMainPathAvailableBytes": set(),
    "ClickHouseAsyncMetrics_FilesystemMainPathTotalBytes": set(),
    "ClickHouseAsyncMetrics_FilesystemMainPathAvailableINodes": set(),
    "ClickHouseAsyncMetrics_FilesystemMainPathTotalINodes": set(),
    "ClickHouseAsyncMetrics_MaxPartCountForPartition": set(),
    "ClickHouseAsyncMetrics_NumberOfDetachedParts": set(),
    "ClickHouseAsyncMetrics_NumberOfDetachedByUserParts": set(),
    "ClickHouseMetrics_PartsActive": set(),
    "kafka_topic_partition_in_sync_replica": {"topic", "partition"},
    "kafka_topic_partition_under_replicated_partition": {"topic", "partition"},
    "node_filesystem_avail_bytes": {"mountpoint"},
    "node_filesystem_size_bytes": {"mountpoint"},
}
"""Gauges of Prometheus, ClickHouse, kafka_exporter and node_exporter, each with its labels."""


def series() -> dict[str, tuple[Metric, set[str]]]:
    """Returns the metric and the labels of each series that Logsieve's processes expose, by the name of the series."""
    shown: dict[str, tuple[Metric, set[str]]] = {}
    for metric in ALL:
        labels = set(metric.labels)
        if metric.kind is Kind.histogram:
            shown[f"{metric.prometheus_name}_bucket"] = metric, labels | {"le"}
            shown[f"{metric.prometheus_name}_sum"] = metric, labels
            shown[f"{metric.prometheus_name}_count"] = metric, labels
        else:
            shown[metric.prometheus_name] = metric, labels
    return shown


SERIES: Final = series()


def faults(selection: Selection) -> Iterator[str]:
    """Yields a text for each mistake of a selector."""
    if selection.name in OTHERS:
        metric, labels = None, OTHERS[selection.name]
    elif selection.name in SERIES:
        metric, labels = SERIES[selection.name]
    else:
        yield f"no such metric: {selection.name}"
        return
    for label in {*selection.matched, *(selection.grouped or ())} - labels - SCRAPED:
        yield f"{selection.name} has no label {label}"
    gauge = metric is None or metric.kind is Kind.gauge
    if gauge and selection.in_rate:
        yield f"{selection.name} is a gauge and has no rate"


def labels_kept(selection: Selection) -> set[str]:
    """Returns the labels of a selector that the result of its expression still has."""
    labels = OTHERS[selection.name] if selection.name in OTHERS else SERIES[selection.name][1]
    return labels | SCRAPED if selection.grouped is None else set(selection.grouped)


def expressions() -> dict[str, str]:
    drawn = json.loads(DASHBOARD.read_text())["panels"]
    panels = [inner for panel in drawn for inner in (panel, *panel.get("panels", []))]
    shown = {
        f"{panel['id']} {panel['title']} {target['refId']}": target["expr"].replace("$__rate_interval", "5m")
        for panel in panels
        for target in panel.get("targets", [])
    }
    return shown | {name: rule["expr"] for name, rule in RULES.items()}


@pytest.mark.parametrize(("name", "expression"), expressions().items(), ids=list(expressions()))
def test_every_expression_names_what_exists(name: str, expression: str) -> None:
    requested = selections(expression)

    assert requested, name
    assert [fault for selection in requested for fault in faults(selection)] == []


@pytest.mark.parametrize(
    ("expression", "fault"),
    [
        ("rate(logsieve_loader_lag[5m])", "logsieve_loader_lag is a gauge and has no rate"),
        ("sum by (tenant) (logsieve_loader_lag)", "logsieve_loader_lag has no label tenant"),
        ("logsieve_loader_lost", "no such metric: logsieve_loader_lost"),
        ('up > 1 unless logsieve_loader_lag{lane="0"}', "logsieve_loader_lag has no label lane"),
    ],
)
def test_a_wrong_expression_is_found(expression: str, fault: str) -> None:
    assert [each for selection in selections(expression) for each in faults(selection)] == [fault]


def test_counters_are_read_as_rates_but_for_those_whose_first_value_counts() -> None:
    whole = {
        (name, selection.name)
        for name, rule in RULES.items()
        for selection in selections(rule["expr"])
        if selection.name in SERIES and SERIES[selection.name][0].kind is not Kind.gauge and not selection.in_rate
    }

    assert whole == {
        ("LogsieveRecordsLost", metrics.LOADER_LOST.prometheus_name),
        ("LogsieveDeadLetters", metrics.LOADER_DEAD_LETTERS.prometheus_name),
    }


def test_the_alert_on_failing_loops_sees_the_rarest_loop_and_no_single_failure() -> None:
    rule, settings = RULES["LogsieveLoopFails"], Settings()
    minutes = re.search(r"\[(\d+)m\]", rule["expr"])
    assert minutes
    window = 60 * int(minutes[1])

    assert window >= 2 * max(settings.retention_interval_seconds, settings.lane_interval_seconds)
    assert 60 * int(rule["for"].removesuffix("m")) > window


def test_values_of_labels_exist() -> None:
    routes = json.loads((PACKAGES / "frontend" / "openapi.json").read_text())["paths"]
    codes = {each.name for each in grpc.StatusCode}
    known: dict[str, Callable[[str], object]] = {
        "http_route": lambda value: any(re.fullmatch(value, route) for route in routes),
        "code": lambda value: all(each.isdigit() or each in codes for each in value.split("|")),
        "job": lambda value: any(re.fullmatch(value, each["job_name"]) for each in PROMETHEUS["scrape_configs"]),
        "outcome": {"accepted", "refused"}.__contains__,
        "http_response_status_code": {"5.."}.__contains__,
        "mountpoint": {"/var/lib/kafka"}.__contains__,
        "topic": lambda value: (
            re.fullmatch(value, Settings().kafka_topic) and re.fullmatch(value, Settings().kafka_dead_topic)
        ),
    }

    matched = {
        pair for each in expressions().values() for requested in selections(each) for pair in requested.matched.items()
    }

    assert matched
    assert {(label, value) for label, value in matched if not known[label](value)} == set()


@pytest.mark.parametrize("name", RULES)
def test_an_alert_says_what_it_means_and_where_to_read_on(name: str) -> None:
    rule = RULES[name]
    texts = rule["annotations"]
    document, anchor = texts["runbook"].split("#")
    headings = re.findall(r"^#+ (.+)$", (PACKAGES / document).read_text(), re.MULTILINE)

    assert set(texts) == {"summary", "description", "runbook"}
    assert rule["labels"]["severity"] in {"warning", "critical"}
    assert anchor == name.lower()
    assert headings.count(name) == 1
    shown = set(re.findall(r"\$labels\.(\w+)", texts["description"]))
    assert any(shown <= labels_kept(requested) for requested in selections(rule["expr"]))


def test_promtool_expects_the_texts_of_the_rules() -> None:
    for example in (each for test in EXAMPLES for each in test["alert_rule_test"]):
        for expected in example.get("exp_alerts", ()):
            for name, text in RULES[example["alertname"]]["annotations"].items():
                form = ".+".join(map(re.escape, re.split(r"\{\{.*?\}\}", text)))
                assert re.fullmatch(form, expected["exp_annotations"][name])


def test_every_section_about_an_alert_has_one() -> None:
    text = (PACKAGES / "docs" / "operations" / "runbook.md").read_text()

    assert re.findall(r"^## (Logsieve\w+)$", text, re.MULTILINE) == list(RULES)


def test_prometheus_scrapes_the_ports_of_our_processes() -> None:
    settings = Settings()
    ports = {
        job["job_name"]: int(target.rsplit(":", 1)[1])
        for job in PROMETHEUS["scrape_configs"]
        for each in job["static_configs"]
        for target in each["targets"]
        if job["job_name"].startswith("logsieve-")
    }

    assert PROMETHEUS["rule_files"] == ["rules.yml"]
    assert ports == {
        "logsieve-receiver": settings.otlp_http_port,
        "logsieve-loader": settings.loader_port,
        "logsieve-api": settings.api_port,
        "logsieve-alerts": settings.alerts_port,
    }


def test_the_dashboard_is_made_from_the_metrics() -> None:
    assert DASHBOARD.read_text() == render_dashboard(), "run `make docs`"
    drawn = {selection.name for each in expressions().values() for selection in selections(each)}
    assert {metric for metric in ALL if not any(SERIES[name][0] is metric for name in drawn & set(SERIES))} == set()


def test_only_gauges_of_a_process_s_own_things_are_summed() -> None:
    panels = [panel for row in json.loads(DASHBOARD.read_text())["panels"] for panel in row.get("panels", ())]
    drawn = {panel["title"]: panel["targets"][0]["expr"] for panel in panels}
    gauges = {metric for metric in ALL if metric.kind is Kind.gauge}

    assert {each for each in gauges if "sum" in drawn[each.name]} == {metrics.HTTP_ACTIVE, metrics.TAIL_ACTIVE}
    assert {each for each in gauges if "min" in drawn[each.name]} == {
        metrics.CLICKHOUSE_ANSWERS,
        metrics.LOOP_LAST_TURN,
    }


def test_panels_do_not_overlap() -> None:
    dashboard = json.loads(DASHBOARD.read_text())
    for panels in (dashboard["panels"], *(row["panels"] for row in dashboard["panels"] if row.get("panels"))):
        cells = [
            (x, y)
            for place in (panel["gridPos"] for panel in panels)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        ]
        assert len(cells) == len(set(cells))
        assert max(x for x, _ in cells) < 24
