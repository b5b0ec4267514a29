"""Tests that a load test queries only the stack that it started, even if the caller's settings name other servers."""

import subprocess
import tempfile
from pathlib import Path

import pytest

import kit.clickhouse
import schema.migrate
from kit.errors import Conflict, InvalidRequest, Unavailable
from kit.settings import Settings
from loadtest.own_stack import NEVER_PASSED_ON, OwnStack, own_stack, own_stack_in
from loadtest.studies import STUDIES
from schema.clickhouse.index_profiles import Profile
from stack.cli.loadtest import command

OFFSET = 17_000
FOREIGN = {
    "LOGSIEVE_CLICKHOUSE_URL": "https://production.example:8443",
    "LOGSIEVE_CLICKHOUSE_CA_FILE": "/etc/production.example/ca.pem",
    "LOGSIEVE_CLICKHOUSE_CERTIFICATE_FILE": "/etc/production.example/client.pem",
    "LOGSIEVE_CLICKHOUSE_KEY_FILE": "/etc/production.example/client.key",
    "LOGSIEVE_CLICKHOUSE_PASSWORD": "s3cret",
    "LOGSIEVE_CLICKHOUSE_QUERY_PASSWORD": "s3cret",
    "LOGSIEVE_KAFKA_BOOTSTRAP": "production.example:9092",
    "LOGSIEVE_CONTROL_URL": "postgresql+asyncpg://production.example/logsieve",
    "LOGSIEVE_STORAGE_POLICY": "production",
    "LOGSIEVE_SELF_LOGS_URL": "https://production.example/v1/logs",
    "LOGSIEVE_SMTP_PASSWORD": "s3cret",
}


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[str, ...]]:
    """Returns the list of commands given to own stacks. None is run, and the caller's settings name another server."""
    for name, value in FOREIGN.items():
        monkeypatch.setenv(name, value)
    # The offset of the settings is not used while a stack of the settings runs.
    monkeypatch.setenv("LOGSIEVE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LOGSIEVE_PORT_OFFSET", str(OFFSET))
    monkeypatch.delenv("LOGSIEVE_CONFIG", raising=False)
    monkeypatch.delenv("LOGSIEVE_SECRETS_DIR", raising=False)
    calls: list[tuple[str, ...]] = []
    monkeypatch.setattr(OwnStack, "logsieve", lambda _self, *arguments, **_options: calls.append(arguments))
    return calls


@pytest.mark.parametrize("study", ["search", "tune", "plans"])
def test_a_study_uses_its_own_server(
    study: str, commands: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    requested: list[str] = []

    def connect(settings: Settings, *_arguments: str, shard: int = 0, **_options: str) -> None:
        requested.append(settings.clickhouse_http_urls[shard])
        raise Unavailable("nothing is started here")

    monkeypatch.setattr(kit.clickhouse, "connect", connect)
    monkeypatch.setattr(schema.migrate, "connect", connect)

    options = {} if study == "search" else {"smoke": True}
    with pytest.raises(Unavailable, match="nothing is started here"):
        command(STUDIES[study])(folder=tmp_path, **options)

    assert requested == [f"http://127.0.0.1:{8123 + OFFSET}"]
    assert [arguments[0] for arguments in commands] == ["up", "down"]


@pytest.mark.usefixtures("commands")
def test_nothing_that_leads_to_data_of_others_is_passed_on(tmp_path: Path) -> None:
    with own_stack_in(tmp_path, OFFSET, (), {}) as stack:
        assert not stack.environment.keys() & FOREIGN.keys()
        assert stack.environment["LOGSIEVE_HOME"] == str(tmp_path)
        assert "production.example" not in repr(stack.settings)
        assert stack.settings.clickhouse_password is None
        assert stack.settings.home == tmp_path


@pytest.mark.usefixtures("commands")
def test_the_cold_folder_of_another_stack_is_not_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in FOREIGN:  # a cold folder excludes LOGSIEVE_CLICKHOUSE_URL
        monkeypatch.delenv(name)
    monkeypatch.setenv("LOGSIEVE_COLD_FOLDER", "/mnt/production.example")

    with own_stack_in(tmp_path, OFFSET, (), {}) as stack:
        assert "LOGSIEVE_COLD_FOLDER" not in stack.environment
        assert stack.settings.own_cold_folder is None


@pytest.mark.usefixtures("commands")
def test_what_does_not_lead_there_applies_on_both_sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGSIEVE_LANES", "8")
    needed = {"LOGSIEVE_LANES": "2", "LOGSIEVE_CLICKHOUSE_NODES": "3"}

    with own_stack_in(tmp_path, OFFSET, (), needed) as stack:
        assert (stack.environment["LOGSIEVE_LANES"], stack.settings.lanes) == ("8", 8)
        assert (stack.environment["LOGSIEVE_CLICKHOUSE_NODES"], stack.settings.shards) == ("3", 3)


@pytest.mark.usefixtures("commands")
def test_the_ports_of_a_kept_stack_are_read_from_it(tmp_path: Path) -> None:
    (tmp_path / "stack.json").write_text('{"port_offset": 0}')

    with own_stack_in(tmp_path, OFFSET, (), {}) as stack:
        assert stack.settings.port_offset == 0
        assert stack.environment["LOGSIEVE_PORT_OFFSET"] == "0"


@pytest.mark.usefixtures("commands")
@pytest.mark.parametrize("interrupt", [KeyboardInterrupt(), subprocess.TimeoutExpired("logsieve up", 1)])
def test_a_stack_is_stopped_if_its_start_is_interrupted(
    interrupt: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []

    def logsieve(_stack: OwnStack, name: str, *_arguments: str, **_options: float) -> None:
        calls.append(name)
        if name == "up":
            raise interrupt

    monkeypatch.setattr(OwnStack, "logsieve", logsieve)

    with pytest.raises(type(interrupt)), own_stack_in(tmp_path, OFFSET, (), {}):
        pytest.fail("the stack did not start")

    assert calls == ["up", "down"]


def test_two_load_tests_do_not_measure_on_one_server(commands: list[tuple[str, ...]], tmp_path: Path) -> None:
    with own_stack_in(tmp_path, OFFSET, (), {}):
        with pytest.raises(Conflict, match="give --home another folder"), own_stack_in(tmp_path, OFFSET, (), {}):
            pytest.fail("both use the stack")
        assert [arguments[0] for arguments in commands] == ["up"], "the stack of the first one is stopped"
    with own_stack_in(tmp_path, OFFSET, (), {}):
        pass


@pytest.mark.usefixtures("commands")
def test_the_logs_of_a_stack_are_kept_after_any_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    said: list[str] = []

    with pytest.raises(ConnectionResetError), own_stack(OFFSET, (), said.append) as stack:
        raise ConnectionResetError

    assert stack.home.parent.exists()
    assert said[-1] == f"its data and logs are left in {stack.home}"
    with own_stack(OFFSET, (), said.append) as stack:
        pass
    assert not stack.home.parent.exists()


@pytest.mark.usefixtures("commands")
def test_a_configuration_file_that_may_lead_there_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGSIEVE_CONFIG", str(tmp_path / "logsieve.toml"))

    with pytest.raises(InvalidRequest, match="unset LOGSIEVE_CONFIG"), own_stack_in(tmp_path, OFFSET, (), {}):
        pass


@pytest.mark.usefixtures("commands")
@pytest.mark.parametrize(
    ("study", "options", "name", "value"),
    [
        ("peers", {"index_profile": Profile.tokenbf, "smoke": True}, "INDEX_PROFILE", "text"),
        ("peers", {"smoke": True}, "CLICKHOUSE_NODES", "2"),
        ("ingest", {"smoke": True}, "CLICKHOUSE_NODES", "2"),
        ("hostile", {"smoke": True}, "CLICKHOUSE_NODES", "2"),
        ("plans", {"smoke": True}, "CLICKHOUSE_NODES", "1"),
        ("faults", {"nodes": 2}, "CLICKHOUSE_NODES", "1"),
        ("ingest", {"smoke": True}, "CLICKHOUSE_REPLICAS", "2"),
        ("tail", {}, "CLICKHOUSE_NODES", "2"),
        ("faults", {}, "CLICKHOUSE_REPLICAS", "2"),
        ("outage", {"service": "clickhouse"}, "CLICKHOUSE_NODES", "2"),
        ("outage", {"service": "broker"}, "KAFKA_NODES", "1"),
        ("outage", {"service": "kafka"}, "KAFKA_NODES", "3"),
        ("alerts", {"smoke": True}, "ALERTS_WEBHOOK_NETWORKS", "10.0.0.0/8"),
    ],
)
def test_a_setting_with_which_a_study_would_measure_something_else_is_refused(
    study: str, options: dict[str, object], name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"LOGSIEVE_{name}", value)

    with pytest.raises(InvalidRequest, match=f"LOGSIEVE_{name} is {value}: unset it"):
        command(STUDIES[study])(**options)


def test_every_setting_that_is_never_passed_on_is_one() -> None:
    fields = {name.removeprefix("LOGSIEVE_").lower() for name in NEVER_PASSED_ON}
    assert fields <= Settings.model_fields.keys()
    secrets = {name for name, field in Settings.model_fields.items() if "SecretStr" in str(field.annotation)}
    assert secrets <= fields
