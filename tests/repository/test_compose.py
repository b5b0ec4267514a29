"""Tests that the compose file and the Dockerfile use existing settings, commands, ports and files.

Starts no container.
"""

import json
import re
import tomllib
from typing import Any

import pytest
import yaml

from kit.folders import PACKAGES
from kit.settings import Settings
from stack.cli.commands import COMMANDS
from stack.install.steps import UV_VERSION
from stack.setting_list import setting_lines

FILE = PACKAGES / "docker-compose.yml"
DOCKERFILE = (PACKAGES / "Dockerfile").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load(FILE.read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if "build" in service}
IMAGES = {name: service["image"] for name, service in SERVICES.items() if name not in OURS}


def test_every_setting_is_one() -> None:
    named = set(re.findall(r"LOGSIEVE_[A-Z_]+", FILE.read_text() + DOCKERFILE))

    assert named
    assert named <= {line.variable for line in setting_lines(Settings())}


@pytest.mark.parametrize("name", OURS)
def test_our_services_have_settings_that_can_be(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, value in OURS[name]["environment"].items():
        monkeypatch.setenv(variable, re.sub(r"\$\{\w+:\?[^}]*\}", "chosen", value))

    settings = Settings()

    assert settings.clickhouse_secret == settings.clickhouse_query_secret == "chosen"
    assert settings.control_plane_url == "postgresql+asyncpg://logsieve:chosen@postgres/logsieve"
    hosts = re.findall(r"(?://|@|^)(\w+)(?=[:/])", f"{settings.clickhouse_url}/ {settings.control_url}")
    assert {"clickhouse", "postgres"} <= set(hosts)
    assert settings.kafka_bootstrap == "kafka:9092"


@pytest.mark.parametrize("name", OURS)
def test_our_services_run_commands_of_ours(name: str) -> None:
    assert OURS[name]["command"] == [name]
    assert name in COMMANDS


def test_services_wait_for_services_that_can_say_they_are_ready() -> None:
    for service in SERVICES.values():
        for other, waits in service.get("depends_on", {}).items():
            if waits["condition"] == "service_healthy":
                assert "test" in SERVICES[other]["healthcheck"]
            else:
                assert waits["condition"] == "service_completed_successfully"
                assert SERVICES[other]["restart"] == "no"
    assert set(SERVICES["migrate"]["depends_on"]) == set(IMAGES)
    assert all("migrate" in OURS[name]["depends_on"] for name in OURS if name != "migrate")
    assert all("healthcheck" in service for name, service in SERVICES.items() if name != "migrate")


def test_ports_are_ours_and_open_to_this_machine_only() -> None:
    settings = Settings()
    wanted = {
        "receiver": [settings.otlp_grpc_port, settings.otlp_http_port],
        "api": [settings.api_port],
    }

    assert {name: service["ports"] for name, service in SERVICES.items() if "ports" in service} == {
        name: [f"127.0.0.1:{port}:{port}" for port in ports] for name, ports in wanted.items()
    }
    for name, port in (
        ("receiver", settings.otlp_http_port),
        ("loader", settings.loader_port),
        ("api", settings.api_port),
        ("alerts", settings.alerts_port),
    ):
        assert f"http://127.0.0.1:{port}/readyz" in OURS[name]["healthcheck"]["test"][-1]


def test_what_is_stored_is_in_a_volume() -> None:
    mounted = {name: [each.split(":")[0] for each in SERVICES[name].get("volumes", [])] for name in IMAGES}

    assert mounted == {name: [name] for name in IMAGES}
    assert set(COMPOSE["volumes"]) == set(IMAGES)


def test_images_have_a_version_and_no_host() -> None:
    bases = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)

    for image in (*IMAGES.values(), *bases):
        assert re.fullmatch(r"[a-z]+(/[a-z-]+)?:\d+[\w.-]*", image), image


def test_images_are_of_the_releases_that_are_tested() -> None:
    engine = json.loads((PACKAGES / "stack" / "engine" / "package.json").read_text())["optionalDependencies"]
    broker = (PACKAGES / "stack" / "broker" / "pom.xml").read_text()

    (release,) = {".".join(version.split(".")[:2]) for version in engine.values()}
    assert IMAGES["clickhouse"].endswith(f":{release}")
    assert f"<version>{IMAGES['kafka'].split(':')[1]}</version>" in broker
    assert f"uv=={UV_VERSION}" in DOCKERFILE


def test_the_image_has_every_package() -> None:
    project = tomllib.loads((PACKAGES / "pyproject.toml").read_text())
    copied = [
        source
        for line in re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE, re.MULTILINE)
        for source in line.split()[:-1]
    ]

    assert {*project["tool"]["uv"]["build-backend"]["module-name"], "native", "frontend"} <= set(copied)
    assert all((PACKAGES / source).exists() for source in copied)
