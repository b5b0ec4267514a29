"""Tests what `logsieve up --shards N --replicas N` remembers and refuses."""

from pathlib import Path

import pytest

from kit.errors import Conflict, InvalidRequest
from kit.settings import Settings
from stack.clickhouse.choose_nodes import choose_nodes


def test_each_number_is_remembered_by_itself(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)

    choose_nodes(settings, None, 2, is_running=False)
    assert settings.own_nodes == (1, 2)
    choose_nodes(settings, 3, None, is_running=False)
    assert settings.own_nodes == (3, 2)
    choose_nodes(settings, None, 1, is_running=False)
    assert settings.own_nodes == (3, 1)


def test_shards_are_never_removed(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    choose_nodes(settings, 2, None, is_running=False)

    with pytest.raises(Conflict, match="would not find the rows of removed shards"):
        choose_nodes(settings, 1, None, is_running=False)
    assert settings.own_nodes == (2, 1)


def test_a_running_stack_keeps_its_nodes(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)

    choose_nodes(settings, 1, 1, is_running=True)
    with pytest.raises(Conflict, match="logsieve down"):
        choose_nodes(settings, 2, None, is_running=True)


@pytest.mark.parametrize("named", [{"clickhouse_url": "http://a"}, {"clickhouse_nodes": 2}, {"clickhouse_replicas": 2}])
def test_settings_that_name_the_nodes_are_not_overruled(tmp_path: Path, named: dict[str, str]) -> None:
    with pytest.raises(InvalidRequest, match="leave out --shards"):
        choose_nodes(Settings(home=tmp_path, **named), 2, 2, is_running=False)  # type: ignore[arg-type]  # of several types
