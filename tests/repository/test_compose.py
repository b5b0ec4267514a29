"""Tests that the compose files and the Dockerfile use existing settings, commands, ports and files.

Starts no container.
"""

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kit.folders import PACKAGES
from kit.settings import Settings
from kit.topology import Topology
from stack.cli.commands import COMMANDS
from stack.generate.setting_list import setting_lines
from stack.install.steps import UV_VERSION
from tests.compose_file import CLUSTER, COMPOSE_FILES, ONE_NODE, ComposeFile

DOCKERFILE = (PACKAGES / "Dockerfile").read_text()

each_file = pytest.mark.parametrize("file", COMPOSE_FILES, ids=str)
each_process = pytest.mark.parametrize(
    ("file", "name"), [pytest.param(file, name, id=f"{file}-{name}") for file in COMPOSE_FILES for name in file.ours]
)


@each_file
def test_every_setting_is_one(file: ComposeFile) -> None:
    named = set(re.findall(r"LOGSIEVE_[A-Z_]+", file.text + DOCKERFILE))

    assert named
    assert named <= {line.variable for line in setting_lines(Settings())}


def settings_of(file: ComposeFile, name: str, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Returns the settings of a service, whose secrets are all `chosen`."""
    for variable, value in file.ours[name]["environment"].items():
        monkeypatch.setenv(variable, re.sub(r"\$\{\w+:\?[^}]*\}", "chosen", value))
    return Settings()


@each_process
def test_our_services_have_settings_that_can_be(file: ComposeFile, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = settings_of(file, name, monkeypatch)

    assert settings.clickhouse_secret == settings.clickhouse_query_secret == "chosen"
    assert settings.control_plane_url == "postgresql+asyncpg://logsieve:chosen@postgres/logsieve"
    clickhouse, kafka = ([each for each in file.images if each.startswith(kind)] for kind in ("clickhouse", "kafka"))
    assert {url for shard in settings.topology.shards for url in shard} == {
        f"http://{each}:8123" for each in clickhouse
    }
    assert settings.kafka_bootstrap == ",".join(f"{each}:9092" for each in kafka)


@each_process
def test_our_services_run_commands_of_ours(file: ComposeFile, name: str) -> None:
    command = re.sub(r"-\d$", "", name)
    assert file.ours[name]["command"] == [command]
    assert command in COMMANDS


@each_file
def test_services_wait_for_services_that_can_say_they_are_ready(file: ComposeFile) -> None:
    for service in file.services.values():
        for other, waits in service.get("depends_on", {}).items():
            if waits["condition"] == "service_healthy":
                assert "test" in file.services[other]["healthcheck"]
            else:
                assert waits["condition"] == "service_completed_successfully"
                assert file.services[other]["restart"] == "no"
    assert set(file.services["migrate"]["depends_on"]) == set(file.images)
    assert all("migrate" in file.ours[name]["depends_on"] for name in file.ours if name != "migrate")
    assert all("healthcheck" in service for name, service in file.services.items() if name != "migrate")


@each_file
def test_ports_are_ours_and_open_to_this_machine_only(file: ComposeFile) -> None:
    settings = Settings()
    wanted = {
        "receiver": [settings.otlp_grpc_port, settings.otlp_http_port],
        "api": [settings.api_port],
    }

    assert {name: service["ports"] for name, service in file.services.items() if "ports" in service} == {
        name: [f"127.0.0.1:{port}:{port}" for port in ports] for name, ports in wanted.items()
    }


@each_process
def test_health_checks_ask_the_port_on_which_the_service_says_that_it_is_ready(
    file: ComposeFile, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_of(file, name, monkeypatch)
    ports = {
        "receiver": settings.otlp_http_port,
        "loader": settings.loader_port,
        "api": settings.api_port,
        "alerts": settings.alerts_port,
    }
    if name == "migrate":
        assert "healthcheck" not in file.ours[name]
        return
    assert (
        f"http://127.0.0.1:{ports[file.ours[name]['command'][0]]}/readyz" in file.ours[name]["healthcheck"]["test"][-1]
    )


@each_file
def test_what_is_stored_is_in_a_volume(file: ComposeFile) -> None:
    mounted = {name: [each.split(":")[0] for each in file.services[name].get("volumes", [])] for name in file.images}

    assert mounted == {name: [name] for name in file.images}
    assert set(file.content["volumes"]) == set(file.images)


@each_file
def test_images_have_a_version_and_no_host(file: ComposeFile) -> None:
    bases = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)

    for image in (*file.images.values(), *bases):
        assert re.fullmatch(r"[a-z]+(/[a-z-]+)?:\d+[\w.-]*\$\{[A-Z]+_DIGEST-?\}", image), image


@each_file
def test_digests_are_printed_for_all_images_and_reach_the_build(file: ComposeFile, tmp_path: Path) -> None:
    """Runs scripts/image-digests with a program `docker` that prints a digest made from the image's name."""
    docker = tmp_path / "docker"
    docker.write_text('#!/bin/sh\necho "sha256:$(echo "$*" | sha256sum | cut -c 1-64)"\n')
    docker.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    printed = subprocess.run(
        [PACKAGES / "scripts" / "image-digests"], env={"PATH": path}, capture_output=True, text=True, check=True
    ).stdout
    digests = dict(line.split("=", 1) for line in printed.splitlines())

    named = {found for text in (*file.images.values(), DOCKERFILE) for found in re.findall(r"\$\{(\w+)-?\}", text)}
    assert {*digests} == named
    assert len({*digests.values()}) == len(named) == 4
    assert all(re.fullmatch(r"@sha256:[0-9a-f]{64}", digest) for digest in digests.values())
    arguments = {name: service["build"]["args"] for name, service in file.ours.items()}
    assert all(given == {"DEBIAN_DIGEST": "${DEBIAN_DIGEST-}"} for given in arguments.values())


def test_an_answer_that_is_no_digest_ends_the_script(tmp_path: Path) -> None:
    docker = tmp_path / "docker"
    docker.write_text("#!/bin/sh\necho unauthorized\n")
    docker.chmod(0o755)
    done = subprocess.run(
        [PACKAGES / "scripts" / "image-digests"],
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "is no digest: unauthorized" in done.stderr


@each_process
def test_our_services_cannot_write_outside_of_their_home_and_have_no_rights(file: ComposeFile, name: str) -> None:
    service = file.ours[name]
    assert service["read_only"] is True
    assert [each.split(":")[0] for each in service["tmpfs"]] == ["/tmp", "/var/lib/logsieve"]
    user = re.search(r"^USER (\d+):(\d+)$", DOCKERFILE, re.MULTILINE)
    assert user
    assert f"uid={user[1]},gid={user[2]}," in service["tmpfs"][1]
    assert (service["cap_drop"], service["security_opt"]) == (["ALL"], ["no-new-privileges:true"])


@each_process
def test_our_services_have_the_limits_of_their_units(file: ComposeFile, name: str) -> None:
    service = file.ours[name]
    unit = (PACKAGES / "deploy" / "systemd" / f"logsieve-{service['command'][0]}.service").read_text()
    memory, tasks = (re.findall(rf"^{limit}=(\w+)$", unit, re.MULTILINE) for limit in ("MemoryMax", "TasksMax"))

    assert service["pids_limit"] == 1024
    if name == "migrate":  # It also runs the operators' commands, and serves no tenant.
        assert (memory, "mem_limit" in service) == ([], False)
        return
    assert ([service["mem_limit"].upper()], ["1024"]) == (memory, tasks)


def test_images_are_of_the_releases_that_are_tested() -> None:
    engine = json.loads((PACKAGES / "stack" / "engine" / "package.json").read_text())["optionalDependencies"]
    broker = (PACKAGES / "stack" / "broker" / "pom.xml").read_text()

    (release,) = {".".join(version.split(".")[:2]) for version in engine.values()}
    assert ONE_NODE.images["clickhouse"].endswith(f":{release}${{CLICKHOUSE_DIGEST-}}")
    assert f"<version>{ONE_NODE.images['kafka'].split(':')[1].split('$')[0]}</version>" in broker
    assert f"uv=={UV_VERSION}" in DOCKERFILE
    assert {*CLUSTER.images.values()} == {*ONE_NODE.images.values()}


def test_the_servers_of_the_cluster_know_the_shards_of_their_replica(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = settings_of(CLUSTER, "api", monkeypatch)
    topology = Topology.read(settings.clickhouse_url or "")
    for place in topology.places:
        name = f"clickhouse-{place.shard}-{place.replica}"
        assert topology.url(place) == f"http://{name}:8123"
        (config,) = CLUSTER.services[name]["configs"]
        root = ElementTree.fromstring(CLUSTER.content["configs"][config["source"]]["content"])
        cluster = root.find(f"remote_servers/{settings.clickhouse_cluster}")
        assert cluster is not None
        hosts = [f"http://{host.text}:8123" for host in cluster.iterfind("shard/replica/host")]
        assert hosts == list(topology.of_replica(place.replica))


def test_every_replica_of_the_cluster_has_a_loader(monkeypatch: pytest.MonkeyPatch) -> None:
    loaders = {settings_of(CLUSTER, name, monkeypatch).loader_replica for name in ("loader-0", "loader-1")}
    assert loaders == {0, 1}


def test_the_image_has_every_package() -> None:
    project = tomllib.loads((PACKAGES / "pyproject.toml").read_text())
    copied = [
        source
        for line in re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE, re.MULTILINE)
        for source in line.split()[:-1]
    ]

    assert {*project["tool"]["uv"]["build-backend"]["module-name"], "native", "frontend"} <= set(copied)
    assert all((PACKAGES / source).exists() for source in copied)
