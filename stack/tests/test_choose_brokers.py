"""Tests what `logsieve up --brokers N` remembers and refuses."""

from pathlib import Path

import pytest

from kit.errors import Conflict, Internal, InvalidRequest
from kit.settings import Settings
from stack.broker.choose_brokers import choose_brokers, kept_brokers
from stack.broker.node import Broker, brokers
from stack.cli.up import up


def choose_and_keep(home: Path, wanted: int) -> None:
    with kept_brokers(choose_brokers(Settings(home=home), wanted, is_running=False)):
        pass


def formatted(broker: Broker, cluster: str) -> None:
    broker.data.mkdir(parents=True)
    broker.meta.write_text(f"version=1\ncluster.id={cluster}\n")


def test_the_number_is_remembered_until_there_are_data(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)

    choose_and_keep(tmp_path, 3)
    assert [each.name for each in brokers(settings)] == ["kafka", "kafka-2", "kafka-3"]
    assert len(brokers(Settings(home=tmp_path, kafka_nodes=1))) == 1
    choose_and_keep(tmp_path, 1)
    assert settings.own_brokers == 1
    formatted(brokers(settings)[0], "any")

    choose_brokers(settings, 1, is_running=True)
    with pytest.raises(Conflict, match="another LOGSIEVE_HOME"):
        choose_brokers(settings, 3, is_running=False)
    assert settings.own_brokers == 1


def test_a_running_stack_keeps_its_brokers(tmp_path: Path) -> None:
    with pytest.raises(Conflict, match="logsieve down"):
        choose_brokers(Settings(home=tmp_path), 3, is_running=True)


@pytest.mark.parametrize("named", [{"kafka_bootstrap": "a:1"}, {"kafka_nodes": 3}])
def test_settings_that_name_the_brokers_are_not_overruled(tmp_path: Path, named: dict[str, str]) -> None:
    with pytest.raises(InvalidRequest, match="leave out --brokers"):
        choose_brokers(Settings(home=tmp_path, **named), 3, is_running=False)  # type: ignore[arg-type]  # of several types


def test_two_brokers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="give 1 or 3"):
        choose_brokers(Settings(home=tmp_path), 2, is_running=False)
    with pytest.raises(ValueError, match="set 1 or 3"):
        Settings(home=tmp_path, kafka_nodes=2)


@pytest.mark.parametrize("before", [None, 1])
def test_a_start_that_is_refused_remembers_no_number(
    before: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, wanted = Settings(home=tmp_path), list[int]()
    if before is not None:
        choose_and_keep(tmp_path, 3)
        choose_and_keep(tmp_path, before)
    monkeypatch.setenv("LOGSIEVE_HOME", str(tmp_path))

    def refuse(*_: object) -> None:
        wanted.append(settings.own_brokers)
        raise Conflict("port 9092 is taken")

    monkeypatch.setattr("stack.cli.up.start_supervisor", refuse)
    with pytest.raises(Conflict, match="is taken"):
        up(brokers=3)
    assert wanted == [3]
    assert settings.own_brokers == 1
    assert settings.own_brokers_file.exists() == (before is not None)


def test_the_number_of_an_option_is_remembered_once_the_stack_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGSIEVE_HOME", str(tmp_path))
    monkeypatch.setattr("stack.cli.up.start_supervisor", lambda *_: None)

    def stop(settings: Settings, *_: object) -> None:
        raise Internal(f"stopped with {len(brokers(settings))} brokers")

    monkeypatch.setattr("stack.cli.up._follow_or_stop", stop)
    with pytest.raises(Internal, match="stopped with 3 brokers"):
        up(brokers=3)
    assert Settings(home=tmp_path).own_brokers == 3
