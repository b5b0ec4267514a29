"""Tests that the chart in deploy/helm uses existing settings, commands, ports and values.

`scripts/check-deploy` also renders the chart with helm and validates it by Kubernetes' schemas.
"""

import re
import tomllib
from typing import Any, Final

import pytest
import yaml

from ingest.receiver.listen import DRAIN_SECONDS as RECEIVER_SECONDS
from kit.folders import PACKAGES
from kit.settings import Settings
from stack.cli.commands import COMMANDS
from stack.generate.setting_list import setting_lines
from tests.helm_chart import CHART, EXAMPLE, MINIMAL, by_name, container, render, rendered, with_helm

VALUES: Final[dict[str, Any]] = yaml.safe_load((CHART / "values.yaml").read_text())
SCHEMA: Final[dict[str, Any]] = yaml.safe_load((CHART / "values.schema.json").read_text())
TEMPLATES: Final = {path.name: path.read_text() for path in sorted((CHART / "templates").iterdir())}
ALL: Final = "\n".join(TEMPLATES.values())
PROCESSES: Final = ("receiver", "loader", "api", "alerts")
VARIABLES: Final = {line.variable for line in setting_lines(Settings())}


def schemes(workload: dict[str, Any]) -> set[str]:
    """Returns the schemes of the probes of a Deployment or StatefulSet."""
    probes = ("startupProbe", "livenessProbe", "readinessProbe")
    return {container(workload)[probe]["httpGet"]["scheme"] for probe in probes}


def test_every_value_that_templates_use_is_there() -> None:
    used = set(re.findall(r"\.Values((?:\.\w+)+)", ALL))

    assert used
    for path in used:
        value: Any = VALUES
        for name in path.strip(".").split("."):
            assert isinstance(value, dict), path
            assert name in value, path
            value = value[name]


def test_every_part_that_templates_include_is_defined() -> None:
    defined = re.findall(r'define "([\w.]+)"', ALL)

    assert set(re.findall(r'include "([\w.]+)"', ALL)) == set(defined)
    assert len(defined) == len(set(defined))


@pytest.mark.parametrize("name", TEMPLATES)
def test_blocks_of_templates_end(name: str) -> None:
    actions = re.findall(r"\{\{-?\s*(if|range|with|define|end)\b", TEMPLATES[name])

    assert actions.count("end") == len(actions) - actions.count("end")


def test_every_setting_is_one() -> None:
    named = {*VALUES["settings"], *re.findall(r"LOGSIEVE_[A-Z_]+", ALL)}
    secrets = {f"LOGSIEVE_{name.upper()}" for name in VALUES["secrets"]["values"]}

    assert named - {"LOGSIEVE_SECRETS_DIR"} <= VARIABLES
    assert secrets <= VARIABLES


def test_the_schema_knows_every_value_of_a_process() -> None:
    known = set(SCHEMA["definitions"]["process"]["properties"])

    assert {name for process in PROCESSES for name in VALUES[process]} == known
    assert all(re.fullmatch(SCHEMA["properties"]["settings"]["propertyNames"]["pattern"], name) for name in VARIABLES)


@pytest.mark.parametrize("process", ["migrate", *PROCESSES])
def test_processes_are_commands_of_ours(process: str) -> None:
    assert re.search(rf'"process" "{process}" "values" \$?\.Values\.{process} ', TEMPLATES[f"{process}.yaml"])
    assert process in COMMANDS
    assert "args: [{{ .process }}]" in TEMPLATES["_pod.tpl"]


def test_ports_are_ours() -> None:
    settings = Settings()
    expected = {
        "receiver": {settings.otlp_grpc_port, settings.otlp_http_port},
        "loader": {settings.loader_port},
        "api": {settings.api_port},
        "alerts": {settings.alerts_port},
    }

    for process, ports in expected.items():
        text = TEMPLATES[f"{process}.yaml"]
        (opened,) = re.findall(r'"ports" \(dict ([^)]+)\)', text)
        assert {int(each) for each in re.findall(r" (\d+)", opened)} == ports
        # Nothing sends requests to alert workers, so they have no Service.
        served = set() if process == "alerts" else ports
        assert {int(each) for each in re.findall(r" port: (\d+)", text)} == served
        (probed,) = re.findall(r'"port" (\d+)', text)
        assert int(probed) == (settings.otlp_http_port if process == "receiver" else max(ports))


def test_processes_have_the_time_that_a_stop_takes() -> None:
    grace = {
        process: int(re.findall(r"terminationGracePeriodSeconds: (\d+)", TEMPLATES[f"{process}.yaml"])[0])
        for process in PROCESSES
    }
    (pause,) = re.findall(r'command: \[sleep, "(\d+)"\]', TEMPLATES["_pod.tpl"])

    assert grace["receiver"] > int(pause) + RECEIVER_SECONDS
    assert min(grace.values()) >= 30


def test_containers_may_change_nothing_and_have_no_variables_of_services() -> None:
    assert "enableServiceLinks: false" in TEMPLATES["_pod.tpl"]
    assert "readOnlyRootFilesystem: true" in TEMPLATES["_pod.tpl"]
    assert "runAsNonRoot: true" in TEMPLATES["_pod.tpl"]
    assert "capabilities: { drop: [ALL] }" in TEMPLATES["_pod.tpl"]


def test_the_chart_is_of_this_release() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    project = tomllib.loads((PACKAGES / "pyproject.toml").read_text())["project"]

    assert chart["appVersion"] == chart["version"] == project["version"]


def test_every_probe_uses_the_scheme_of_its_port() -> None:
    probes = re.findall(r"httpGet: .*", TEMPLATES["_pod.tpl"])

    assert len(probes) == 3
    assert all("scheme: {{ $scheme }}" in probe for probe in probes)


def test_helm_waits_for_the_migration_as_the_docs_call_it() -> None:
    text = (PACKAGES / "docs" / "operations" / "deployment.md").read_text()
    (minutes,) = re.findall(r"^    helm install .* --timeout (\d+)m$", text, re.MULTILINE)

    assert int(minutes) * 60 > VALUES["migrate"]["deadlineSeconds"]


@with_helm
def test_helm_renders_the_chart() -> None:
    done = render("--set=image.digest=sha256:ab", *MINIMAL)

    assert done.returncode == 0, done.stderr
    images = re.findall(r"image: \"?([^\"\n]+)", done.stdout)
    assert images
    assert all(image.endswith("@sha256:ab") for image in images)
    kinds = {each["kind"] for each in yaml.safe_load_all(done.stdout) if each}
    assert {"Deployment", "StatefulSet", "Job", "Secret", "ConfigMap", "Service", "PodDisruptionBudget"} <= kinds


@with_helm
def test_numbers_stay_as_they_are_written() -> None:
    """Helm reads the numbers of a file of values as floating point."""
    resources = rendered(EXAMPLE, "--set-json=settings.LOGSIEVE_LOADER_DEAD_RATIO=0.25")

    for settings in by_name(resources, "ConfigMap").values():
        assert settings["data"]["LOGSIEVE_RECEIVER_MEMORY_BYTES"] == "536870912"
        assert settings["data"]["LOGSIEVE_LOADER_DEAD_RATIO"] == "0.25"


@with_helm
def test_each_replica_of_clickhouse_has_loaders() -> None:
    urls = r"--set=settings.LOGSIEVE_CLICKHOUSE_URL=http://a|http://b\,http://c|http://d"
    resources = rendered(EXAMPLE, urls, "--set=loader.storeReplicas=2")
    loaders = by_name(resources, "StatefulSet")

    variables = {name: container(each)["env"] for name, each in loaders.items()}
    assert variables == {
        "logs-logsieve-loader": [{"name": "LOGSIEVE_LOADER_REPLICA", "value": "0"}],
        "logs-logsieve-loader-replica-1": [{"name": "LOGSIEVE_LOADER_REPLICA", "value": "1"}],
    }
    selected = [each["spec"]["selector"]["matchLabels"] for each in loaders.values()]
    assert selected[0] != selected[1]
    for kind in ("Service", "PodDisruptionBudget", "HorizontalPodAutoscaler", "PodMonitor"):
        assert loaders.keys() <= by_name(resources, kind).keys()
    jobs = {
        rule["replacement"]
        for monitor in by_name(resources, "PodMonitor").values()
        for endpoint in monitor["spec"]["podMetricsEndpoints"]
        for rule in endpoint["relabelings"]
    }
    assert jobs == {f"logsieve-{process}" for process in PROCESSES}


@with_helm
def test_the_longest_release_has_names_of_which_kubernetes_can_make_labels() -> None:
    """The controller of a StatefulSet labels pods with its name, a hyphen and a hash of up to 10 characters."""
    urls = "--set=settings.LOGSIEVE_CLICKHOUSE_URL=" + "|".join(f"http://{each}" for each in "abcdefghi")
    resources = rendered(EXAMPLE, urls, "--set=loader.storeReplicas=9", release="r" * 53)

    loaders = by_name(resources, "StatefulSet")
    assert len(loaders) == 9
    assert max(map(len, loaders)) + len("-") + 10 <= 63
    assert max(len(name) for kind in ("Service", "Job") for name in by_name(resources, kind)) <= 63


@with_helm
@pytest.mark.parametrize(
    ("options", "scheme", "grpc"),
    [((), "HTTP", "GRPC"), (("--set=settings.LOGSIEVE_TLS_CERT_FILE=/etc/logsieve/tls.crt",), "HTTPS", "GRPCS")],
    ids=["plain", "TLS"],
)
def test_probes_monitors_and_ingresses_use_tls_if_the_ports_do(
    options: tuple[str, ...], scheme: str, grpc: str
) -> None:
    resources = rendered(EXAMPLE, *options)
    workloads = by_name(resources, "Deployment") | by_name(resources, "StatefulSet")
    expected = {
        "logs-logsieve-receiver": scheme,
        "logs-logsieve-api": scheme,
        "logs-logsieve-loader": "HTTP",
        "logs-logsieve-alerts": "HTTP",
    }

    probed = {name: schemes(each) for name, each in workloads.items()}
    assert probed == {name: {each} for name, each in expected.items()}
    monitors = by_name(resources, "PodMonitor").items()
    scraped = {name: each["spec"]["podMetricsEndpoints"][0]["scheme"].upper() for name, each in monitors}
    assert scraped == expected
    backends = {
        name: each["metadata"]["annotations"]["nginx.ingress.kubernetes.io/backend-protocol"]
        for name, each in by_name(resources, "Ingress").items()
    }
    assert backends == {
        "logs-logsieve-api": scheme,
        "logs-logsieve-otlp-http": scheme,
        "logs-logsieve-otlp-grpc": grpc,
    }


@with_helm
def test_annotations_of_the_values_replace_those_of_the_chart() -> None:
    """Some programs that read charts refuse YAML with a key twice."""
    size = "nginx.ingress.kubernetes.io/proxy-body-size"
    done = render(EXAMPLE, "--set=ingress.annotations." + size.replace(".", r"\.") + "=9m")

    assert done.returncode == 0, done.stderr
    assert re.findall(rf"{size}: (.*)", done.stdout) == ["9m"] * 3
    # Values with the name alone have null instead of the chart's empty map.
    assert render(EXAMPLE, "--set=ingress.annotations=null").stdout.count(f"{size}: ") == 3


@with_helm
@pytest.mark.parametrize(
    ("options", "address"),
    [
        ((), "https://otlp.example"),
        (("--set=settings.LOGSIEVE_INGEST_URL=https://logs.example/in",), "https://logs.example/in"),
        (("--set=ingress.enabled=false",), None),
    ],
    ids=["an ingress", "an address of its own", "no ingress"],
)
def test_the_web_ui_shows_senders_the_host_of_the_ingress(options: tuple[str, ...], address: str | None) -> None:
    settings = by_name(rendered(EXAMPLE, *options), "ConfigMap")["logs-logsieve"]["data"]

    assert settings.get("LOGSIEVE_INGEST_URL") == address
