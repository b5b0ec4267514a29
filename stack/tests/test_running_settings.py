"""Tests that commands use, and print, the ports of the stack that runs."""

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from kit.clock import SystemClock
from kit.errors import Conflict, NotFound
from kit.settings import Settings
from stack.cli.loadtest import port_offsets
from stack.cli.migrate import migrate
from stack.cli.status import status
from stack.cli.up import up
from stack.cli.usage import usage
from stack.ports import release_offset
from stack.processes import ProcessIdentity, identify
from stack.running_settings import running_settings
from stack.services import SAMPLES, services
from stack.state import Phase, ServiceState, StackState, state_file, write_state
from stack.supervisor import Supervisor

ENDED = ProcessIdentity(pid=os.getpid(), started="another boot/1")


@pytest.fixture(autouse=True)
def _no_offset_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOGSIEVE_PORT_OFFSET", raising=False)


def this_process() -> ProcessIdentity:
    process = identify(os.getpid())
    assert process is not None
    return process


def write(settings: Settings, supervisor: ProcessIdentity, *names: str) -> None:
    services = tuple(ServiceState(name=name, phase=Phase.ready) for name in names)
    write_state(state_file(settings), StackState(supervisor=supervisor, port_offset=700, services=services))


def test_a_command_uses_the_ports_of_the_stack_that_runs(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    write(settings, this_process())
    assert running_settings(settings).port(settings.api_port) == 8780
    assert running_settings(settings).clickhouse_http_url == "http://127.0.0.1:8823"


@pytest.mark.parametrize("offset", [0, 30])
def test_an_offset_that_is_set_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, offset: int) -> None:
    monkeypatch.setenv("LOGSIEVE_PORT_OFFSET", str(offset))
    settings = Settings(home=tmp_path)
    write(settings, this_process())
    assert running_settings(settings).port_offset == offset


def test_without_a_running_stack_the_ports_stay(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    assert running_settings(settings) == settings
    write(settings, ENDED)
    assert running_settings(settings) == settings


def test_status_prints_the_addresses_of_the_stack_although_another_offset_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LOGSIEVE_HOME", str(tmp_path))
    monkeypatch.setenv("LOGSIEVE_PORT_OFFSET", "30")
    write(Settings(), this_process())
    status(as_json=True)
    assert json.loads(capsys.readouterr().out)["api_url"] == "http://127.0.0.1:8780/api/v1"


def test_status_prints_the_scheme_and_the_host_with_which_the_stack_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LOGSIEVE_HOME", str(tmp_path))
    started = Settings(port_offset=700, bind_host="10.1.2.3", tls_cert_file=tmp_path / "tls.pem")
    asyncio.run(run_once(started))

    for name in ("LOGSIEVE_TLS_CERT_FILE", "LOGSIEVE_BIND_HOST"):
        monkeypatch.delenv(name, raising=False)
    status(as_json=True)
    shown = json.loads(capsys.readouterr().out)
    assert shown["ui_url"] == "https://10.1.2.3:8780/"
    assert shown["otlp_http_url"] == "https://10.1.2.3:5018/v1/logs"
    assert shown["otlp_grpc_endpoint"] == "10.1.2.3:5017"
    assert running_settings(Settings()).tls_cert_file == tmp_path / "tls.pem"


def test_a_state_of_an_earlier_release_leaves_the_scheme_of_the_settings(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, bind_host="10.1.2.3", tls_cert_file=tmp_path / "tls.pem")
    write(settings, this_process())

    found = running_settings(settings)

    assert (found.port_offset, found.bind_host, found.http_scheme) == (700, "10.1.2.3", "https")


async def run_once(settings: Settings) -> None:
    """Runs a supervisor without services in this process until it has written its state."""
    supervisor = Supervisor(settings, [], SystemClock())
    supervisor.stop()
    await supervisor.run()


def test_up_refuses_another_offset_than_that_of_the_stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGSIEVE_HOME", str(tmp_path))
    monkeypatch.setenv("LOGSIEVE_PORT_OFFSET", "30")
    write(Settings(), this_process())
    with pytest.raises(Conflict, match="at port offset 700, and LOGSIEVE_PORT_OFFSET is 30: run `logsieve down`"):
        up()


def test_up_without_an_offset_prints_the_addresses_of_the_stack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LOGSIEVE_HOME", str(tmp_path))
    names = [each.name for each in services(Settings()) if each.name != SAMPLES]
    write(Settings(), this_process(), *names)
    up(as_json=True)
    assert json.loads(capsys.readouterr().out)["api_url"] == "http://127.0.0.1:8780/api/v1"


def test_up_does_not_call_a_part_of_the_stack_running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGSIEVE_HOME", str(tmp_path))
    write(Settings(), this_process(), "clickhouse", "kafka", "migrate")
    with pytest.raises(Conflict, match=r"the stack runs without .*receiver.*: run `logsieve down` first"):
        up()


def test_up_says_that_a_service_does_not_exist_also_while_the_stack_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGSIEVE_HOME", str(tmp_path))
    write(Settings(), this_process(), "clickhouse", "kafka", "migrate")
    with pytest.raises(NotFound, match="there is no service 'nginx': choose from clickhouse, kafka, "):
        up(["nginx"])


class _Asked(Exception):
    """Ends a command, and has the settings with which it would connect."""


def test_migrate_and_usage_connect_to_the_stack_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(settings: Settings, *_: object) -> None:
        raise _Asked(settings.clickhouse_http_url)

    monkeypatch.setenv("LOGSIEVE_HOME", str(tmp_path))
    monkeypatch.setattr("schema.drift.find_drift", connect)
    monkeypatch.setattr("schema.migrate.migrate", connect)
    monkeypatch.setattr("stack.cli.control.call_tenants", connect)
    write(Settings(), this_process())

    commands: tuple[Callable[[], None], ...] = (lambda: migrate(check=True), migrate, usage)
    for command in commands:
        with pytest.raises(_Asked, match=r"http://127\.0\.0\.1:8823"):
            command()


def test_a_load_test_gets_ports_beside_those_of_the_stack_that_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGSIEVE_HOME", str(tmp_path))
    monkeypatch.setenv("LOGSIEVE_PORT_OFFSET", "700")

    assert next(port_offsets()) == 700

    write(Settings(), this_process())

    offset = next(port_offsets())
    release_offset(offset)
    assert offset != 700


def test_the_second_stack_of_a_load_test_does_not_get_the_caller_s_ports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGSIEVE_HOME", str(tmp_path))
    monkeypatch.setenv("LOGSIEVE_PORT_OFFSET", "0")
    offsets = port_offsets()

    first, *others = next(offsets), next(offsets), next(offsets)

    for offset in others:
        release_offset(offset)
    assert first == 0
    assert len({first, *others}) == 3
