"""Tests what `logsieve up --brokers N` remembers and refuses."""

from pathlib import Path

import pytest

from kit.errors import Conflict, InvalidRequest
from kit.settings import Settings
from stack.broker.choose_brokers import choose_brokers
from stack.broker.node import Broker, brokers


def formatted(broker: Broker, cluster: str) -> None:
    broker.data.mkdir(parents=True)
    broker.meta.write_text(f"version=1\ncluster.id={cluster}\n")


def test_the_number_is_remembered_until_there_are_data(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)

    choose_brokers(settings, 3, is_running=False)
    assert [each.name for each in brokers(settings)] == ["kafka", "kafka-2", "kafka-3"]
    assert len(brokers(Settings(home=tmp_path, kafka_nodes=1))) == 1
    choose_brokers(settings, 1, is_running=False)
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
