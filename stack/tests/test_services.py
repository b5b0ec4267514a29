from pathlib import Path

import pytest

from kit.errors import NotFound
from kit.settings import Settings
from stack.launch import stop_seconds
from stack.services import select, self_key_file, services

SETTINGS = Settings(home=Path("/srv/home"))


def test_services_come_after_what_they_need() -> None:
    seen: set[str] = set()
    for service in services(SETTINGS):
        assert seen.issuperset(service.needs)
        seen.add(service.name)


def test_selection_adds_what_is_needed_and_keeps_the_order() -> None:
    names = [service.name for service in select(services(SETTINGS), ["receiver"])]
    assert names == ["clickhouse", "kafka", "migrate", "tenants", "receiver"]


def test_every_node_is_a_service_that_migrations_wait_for() -> None:
    settings = Settings(home=Path("/srv/home"), clickhouse_nodes=3)
    names = [service.name for service in select(services(settings), ["migrate"])]
    assert names == ["clickhouse", "clickhouse-1", "clickhouse-2", "kafka", "migrate"]
    ports = [need.port for service in services(settings) for need in service.ports]
    assert len(ports) == len(set(ports))


def test_each_replica_has_nodes_and_a_loader_with_a_group_of_its_own() -> None:
    settings = Settings(home=Path("/srv/home"), clickhouse_nodes=2, clickhouse_replicas=2)
    every = services(settings)
    names = [service.name for service in every]
    assert names[:4] == ["clickhouse", "clickhouse-1", "clickhouse-0-replica-1", "clickhouse-1-replica-1"]
    loaders = {service.name: service.environment() for service in every if service.name.startswith("loader")}
    assert {name: each["LOGSIEVE_LOADER_REPLICA"] for name, each in loaders.items()} == {"loader": "0", "loader-1": "1"}
    assert [each.consumer_group for each in settings.each_replica] == ["logsieve-loader", "logsieve-loader-1"]
    ports = [need.port for service in every for need in service.ports]
    assert len(ports) == len(set(ports))


def test_each_of_three_brokers_is_a_service_that_migrations_wait_for() -> None:
    settings = Settings(home=Path("/srv/home"), kafka_nodes=3)
    every = services(settings)
    names = [service.name for service in select(every, ["migrate"])]
    assert names == ["clickhouse", "kafka", "kafka-2", "kafka-3", "migrate"]
    ports = [need.port for service in every for need in service.ports]
    assert len(ports) == len(set(ports))
    assert settings.kafka_brokers == "127.0.0.1:9092,127.0.0.1:9094,127.0.0.1:9096"


def test_unknown_service_is_refused() -> None:
    with pytest.raises(NotFound, match="clickhouse"):
        select(services(SETTINGS), ["postgres"])


def test_ports_of_a_stack_are_all_different() -> None:
    ports = [need.port for service in services(SETTINGS) for need in service.ports]
    assert len(ports) == len(set(ports))


def test_servers_of_others_are_checked_but_not_started() -> None:
    settings = Settings(home=Path("/srv/home"), clickhouse_url="http://db:8123", kafka_bootstrap="broker:9092")
    theirs = {service.name: service for service in services(settings) if service.command is None}
    assert set(theirs) == {"clickhouse", "kafka"}
    assert all(service.health is not None and not service.ports for service in theirs.values())


def test_each_url_of_others_is_a_shard() -> None:
    settings = Settings(home=Path("/srv/home"), clickhouse_url="http://a:8123, http://b:8123/")
    assert settings.clickhouse_http_urls == ("http://a:8123", "http://b:8123")
    names = [service.name for service in services(settings) if service.name.startswith("clickhouse")]
    assert names == ["clickhouse", "clickhouse-1"]


def test_a_supervisor_has_time_to_stop_all_services_one_after_the_other() -> None:
    largest = Settings(home=Path("/srv/home"), clickhouse_nodes=2, clickhouse_replicas=2, kafka_nodes=3)
    for settings in (SETTINGS, largest):
        every = services(settings)
        assert sum(service.grace_seconds for service in every) < stop_seconds(len(every))


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("0.0.0.0", "http://127.0.0.1:14318/v1/logs"),
        ("10.0.0.5", "http://10.0.0.5:14318/v1/logs"),
        ("::1", "http://[::1]:14318/v1/logs"),
    ],
)
def test_own_logs_go_to_the_address_of_the_receiver(host: str, url: str) -> None:
    settings = Settings(home=Path("/srv/home"), bind_host=host, port_offset=10000)
    sending = {
        service.name: service.environment()["LOGSIEVE_SELF_LOGS_URL"]
        for service in services(settings)
        if service.name in ("tenants", "receiver", "loader", "api", "alerts")
    }

    assert sending == dict.fromkeys(("tenants", "receiver", "loader", "api", "alerts"), url)


def test_another_receiver_of_own_logs_stays() -> None:
    settings = Settings(home=Path("/srv/home"), bind_host="10.0.0.5", self_logs_url="http://elsewhere/v1/logs")

    assert all("LOGSIEVE_SELF_LOGS_URL" not in service.environment() for service in services(settings))


@pytest.mark.parametrize(
    ("wanted", "key", "sent"),
    [
        (None, None, ("true", "generated")),
        (None, "given", ("true", None)),
        (True, None, ("true", "generated")),
        (True, "given", ("true", None)),
        (False, None, (None, None)),
    ],
)
def test_own_logs_have_the_key_of_up_unless_one_is_set(
    wanted: bool | None, key: str | None, sent: tuple[str | None, str | None], tmp_path: Path
) -> None:
    given = {"self_logs": wanted, "self_ingest_key": key}
    settings = Settings(home=tmp_path, **{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
    self_key_file(settings).parent.mkdir()
    self_key_file(settings).write_text("generated\n")
    [receiver] = [service for service in services(settings) if service.name == "receiver"]
    environment = receiver.environment()

    assert (environment.get("LOGSIEVE_SELF_LOGS"), environment.get("LOGSIEVE_SELF_INGEST_KEY")) == sent
