"""Tests the file that LOGSIEVE_CONFIG names, and values that are refused."""

from pathlib import Path

import pytest
from pydantic_settings import SettingsError

from kit.errors import InvalidRequest
from kit.settings import Settings


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "logsieve.toml"
    monkeypatch.setenv("LOGSIEVE_CONFIG", str(path))
    return path


def test_the_environment_wins_over_the_file(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config.write_text("lanes = 7\napi_port = 9999\n")
    monkeypatch.setenv("LOGSIEVE_LANES", "8")

    settings = Settings()

    assert (settings.lanes, settings.api_port) == (8, 9999)


def test_a_file_that_is_not_there_is_said(config: Path) -> None:
    with pytest.raises(SettingsError, match="which cannot be read: No such file"):
        Settings()
    config.mkdir()
    with pytest.raises(SettingsError, match="cannot be read"):
        Settings()


@pytest.mark.parametrize("content", [b"lanes = ", b"lanes: 7", b"\xff\xfe"])
def test_a_file_that_is_no_toml_is_said(config: Path, content: bytes) -> None:
    config.write_bytes(content)

    with pytest.raises(SettingsError, match="which is not TOML: "):
        Settings()


@pytest.mark.parametrize("proxies", ["", "10.0.0.1, fd00::/8", "10.1.2.3/16,"])
def test_trusted_proxies_are_addresses_and_networks(proxies: str) -> None:
    assert Settings(trusted_proxies=proxies).trusted_proxies == proxies


@pytest.mark.parametrize("proxies", ["nginx", "10.0.0.1,nginx", "10.0.0.0/33"])
def test_other_trusted_proxies_are_refused(proxies: str) -> None:
    with pytest.raises(ValueError, match="LOGSIEVE_TRUSTED_PROXIES"):
        Settings(trusted_proxies=proxies)


@pytest.mark.parametrize(
    "sender", ["", "logs", "Logsieve <logs>", "a@b.example\nTo: c@d.example", "=?utf-8?q?logs?=@b.example"]
)
def test_a_sender_of_mails_that_is_no_address_is_refused(sender: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGSIEVE_SMTP_FROM", sender)

    with pytest.raises(ValueError, match=r"LOGSIEVE_SMTP_FROM is .*: give an e-mail address, such as"):
        Settings()


def test_a_sender_of_mails_may_have_a_name() -> None:
    assert Settings(smtp_from="Logsieve <logs@b.example>").smtp_from == "Logsieve <logs@b.example>"


@pytest.mark.parametrize("name", ["HOME", "COLD_FOLDER", "TLS_CERT_FILE", "KAFKA_CA_FILE", "UI_DIR"])
def test_an_empty_path_does_not_name_the_working_folder(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"LOGSIEVE_{name}", "")

    with pytest.raises(ValueError, match=f"LOGSIEVE_{name} is empty: give a path, or unset it"):
        Settings()


@pytest.mark.parametrize(
    "name", ["BIND_HOST", "KAFKA_BOOTSTRAP", "CLICKHOUSE_URL", "CONTROL_URL", "SMTP_HOST", "TRACES_ENDPOINT"]
)
def test_an_empty_address_stands_for_no_other(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"LOGSIEVE_{name}", "")

    with pytest.raises(ValueError, match=r"at least 1 character|LOGSIEVE_CLICKHOUSE_URL is ''|https"):
        Settings()


@pytest.mark.parametrize("name", [name for name in Settings.model_fields if name.endswith("_port")])
def test_a_port_is_between_1_and_65535(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (1, 65535):
        monkeypatch.setenv(f"LOGSIEVE_{name.upper()}", str(number))
        assert getattr(Settings(), name) == number
    for number in (-1, 0, 65536):
        monkeypatch.setenv(f"LOGSIEVE_{name.upper()}", str(number))
        with pytest.raises(ValueError, match=f"{name}\n  Input should be (greater|less) than or equal to"):
            Settings()


@pytest.mark.parametrize(
    "url", ["control.db", "nothing://host/a", "postgresql://host/a", "postgresql+psycopg://host/a", "sqlite:///a.db"]
)
def test_a_control_plane_with_another_driver_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"LOGSIEVE_CONTROL_URL begins with neither postgresql\+asyncpg:// nor sqlite"):
        Settings(control_url=url)


@pytest.mark.parametrize("path", ["", "control.db", "./control.db", "file:control.db"])
def test_a_control_plane_has_no_relative_path(path: str) -> None:
    with pytest.raises(ValueError, match=r"LOGSIEVE_CONTROL_URL has the relative path .*four slashes"):
        Settings(control_url=f"sqlite+aiosqlite:///{path}")


@pytest.mark.parametrize("name", ["CLICKHOUSE_PASSWORD", "CLICKHOUSE_QUERY_PASSWORD", "KAFKA_PASSWORD"])
def test_only_servers_of_others_have_an_empty_password(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"LOGSIEVE_{name}", "")
    with pytest.raises(ValueError, match=f"LOGSIEVE_{name} is empty.*unset the setting"):
        Settings()

    assert Settings(clickhouse_url="http://db:8123", kafka_bootstrap="broker:9092").clickhouse_url is not None


def test_an_offset_beyond_the_highest_port_is_refused() -> None:
    assert Settings(port_offset=5).port(65530) == 65535
    with pytest.raises(InvalidRequest, match="LOGSIEVE_PORT_OFFSET=6 is 65536, and the highest port is 65535"):
        Settings(port_offset=6).port(65530)


def test_a_worker_whose_port_is_beyond_the_highest_is_refused() -> None:
    settings = Settings(port_offset=5)
    assert settings.worker_port("api", 65527, 3) == 65535
    with pytest.raises(InvalidRequest, match=r"worker 4 would have port 65536 .*set a smaller LOGSIEVE_API_OPS_PORT"):
        settings.worker_port("api", 65527, 4)


@pytest.mark.parametrize(
    ("name", "smallest"),
    [
        ("request_max_bytes", 1),
        ("future_tolerance_seconds", 0),
        ("receiver_memory_bytes", 1),
        ("query_max_memory", 1),
        ("clickhouse_memory_limit", 1),
    ],
)
def test_a_limit_has_a_smallest_value(name: str, smallest: int) -> None:
    """ClickHouse takes 0 for no limit, and with a negative tolerance the receiver would refuse the present."""
    assert getattr(Settings.model_validate({name: smallest}), name) == smallest
    with pytest.raises(ValueError, match=name):
        Settings.model_validate({name: smallest - 1})


def test_every_number_has_a_smallest_value() -> None:
    numbers = [name for name, field in Settings.model_fields.items() if field.annotation in (int, float)]
    properties = Settings.model_json_schema()["properties"]
    assert [name for name in numbers if not {"minimum", "exclusiveMinimum"} & properties[name].keys()] == []
