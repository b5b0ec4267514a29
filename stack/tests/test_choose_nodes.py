"""Tests what `logsieve up --shards N --replicas N` remembers and refuses."""

from pathlib import Path

import pytest

from kit.errors import Conflict, Internal, InvalidRequest
from kit.own_nodes import kept_own_nodes
from kit.settings import Settings
from stack.cli.up import up
from stack.clickhouse.choose_nodes import choose_nodes, keep_chosen_nodes, keep_set_nodes, require_kept_shards


def choose_and_keep(settings: Settings, shards: int | None, replicas: int | None) -> None:
    keep_chosen_nodes(choose_nodes(settings, shards, replicas, is_running=False))


def test_each_number_is_remembered_by_itself(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)

    choose_and_keep(settings, None, 2)
    assert settings.own_nodes == (1, 2)
    choose_and_keep(settings, 3, None)
    assert settings.own_nodes == (3, 2)
    choose_and_keep(settings, None, 1)
    assert settings.own_nodes == (3, 1)


def test_shards_are_never_removed(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    choose_and_keep(settings, 2, None)

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


def test_settings_with_fewer_shards_than_before_are_refused(tmp_path: Path) -> None:
    choose_and_keep(Settings(home=tmp_path), 2, 1)

    with pytest.raises(Conflict, match="has 2 shards, but LOGSIEVE_CLICKHOUSE_NODES is 1: set 2 or more"):
        require_kept_shards(Settings(home=tmp_path, clickhouse_nodes=1))
    require_kept_shards(Settings(home=tmp_path, clickhouse_nodes=1, clickhouse_url="http://a"))
    assert Settings(home=tmp_path).own_nodes == (2, 1)


def test_larger_numbers_of_settings_are_remembered(tmp_path: Path) -> None:
    keep_set_nodes(Settings(home=tmp_path, clickhouse_nodes=2, clickhouse_replicas=2))
    assert Settings(home=tmp_path).own_nodes == (2, 2)

    keep_set_nodes(Settings(home=tmp_path, clickhouse_nodes=3, clickhouse_replicas=1))
    assert Settings(home=tmp_path).own_nodes == (3, 2)


def test_up_starts_no_stack_with_fewer_shards_than_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    choose_and_keep(Settings(home=tmp_path), 2, 1)
    for name, value in {"HOME": str(tmp_path), "CLICKHOUSE_NODES": "1", "CLICKHOUSE_REPLICAS": "2"}.items():
        monkeypatch.setenv(f"LOGSIEVE_{name}", value)

    def start(*_: object) -> None:
        pytest.fail("the stack was started")

    monkeypatch.setattr("stack.cli.up.start_supervisor", start)
    with pytest.raises(Conflict, match="has 2 shards"):
        up()


@pytest.mark.parametrize("before", [None, (2, 1)])
@pytest.mark.parametrize(
    ("variables", "options"), [({"CLICKHOUSE_NODES": "9"}, {}), ({}, {"shards": 9, "replicas": 2})]
)
def test_a_start_that_is_refused_remembers_no_number(
    before: tuple[int, int] | None,
    variables: dict[str, str],
    options: dict[str, int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if before is not None:
        choose_and_keep(Settings(home=tmp_path), *before)
    for name, value in {"HOME": str(tmp_path), **variables}.items():
        monkeypatch.setenv(f"LOGSIEVE_{name}", value)
    wanted: list[int] = []

    def refuse(settings: Settings, *_: object) -> None:
        wanted.append(settings.own_nodes[0])
        raise Conflict("port 8123 is taken")

    monkeypatch.setattr("stack.cli.up.start_supervisor", refuse)
    with pytest.raises(Conflict, match="is taken"):
        up(**options)  # type: ignore[arg-type]  # the options are numbers
    assert wanted == [9]
    assert kept_own_nodes(tmp_path) == before


def test_numbers_of_options_are_remembered_before_the_stack_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose_and_keep(Settings(home=tmp_path), 2, 2)
    monkeypatch.setenv("LOGSIEVE_HOME", str(tmp_path))
    kept: list[tuple[int, int] | None] = []
    monkeypatch.setattr("stack.cli.up.start_supervisor", lambda *_: kept.append(kept_own_nodes(tmp_path)))

    def stop(settings: Settings, *_: object) -> None:
        raise Internal(f"stopped with {settings.own_nodes}")

    monkeypatch.setattr("stack.cli.up._follow_or_stop", stop)
    with pytest.raises(Internal, match=r"stopped with \(3, 1\)"):
        up(shards=3, replicas=1)
    assert kept == [(3, 1)]
    assert Settings(home=tmp_path).own_nodes == (3, 1)
