"""Tests that a node starts only with the folder that has its cold partitions."""

from pathlib import Path

import pytest

from kit.errors import Unavailable
from kit.settings import Settings
from stack.clickhouse.config import render_config
from stack.clickhouse.node import Node, node
from stack.clickhouse.prepare import cold_folder_of


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Returns settings with a cold folder, which the node of a first start has in its configuration."""
    settings = Settings(home=tmp_path / "home", cold_folder=tmp_path / "cold")
    first = node(settings)
    first.config_file.parent.mkdir(parents=True)
    prepared(settings, first)
    return settings


def prepared(settings: Settings, started: Node) -> Path:
    cold = cold_folder_of(settings, started)
    assert cold is not None
    started.config_file.write_text(render_config(started, Path("/srv/logs"), 1, cold=cold))
    return cold


def test_a_moved_folder_is_used_when_its_path_is_written(settings: Settings, tmp_path: Path) -> None:
    moved = (tmp_path / "cold").rename(tmp_path / "moved")
    settings.own_cold_folder_file.write_text(f"{moved}\n")
    later = Settings(home=settings.home)

    assert prepared(later, node(later)).is_relative_to(moved)


@pytest.mark.parametrize("written", ["cold", "misspelt"])
def test_no_empty_folder_is_made_for_one_that_is_missing(settings: Settings, tmp_path: Path, written: str) -> None:
    """Tests that a misspelt new path is refused: searches would not find the partitions of the moved folder."""
    (tmp_path / "cold").rename(tmp_path / "moved")
    settings.own_cold_folder_file.write_text(f"{tmp_path / written}\n")
    later = Settings(home=settings.home)

    with pytest.raises(Unavailable, match=rf"mount its disk, so that {tmp_path / written}/node-0 is there again; if"):
        cold_folder_of(later, node(later))
    assert not (tmp_path / written).exists()


def test_a_node_without_a_cold_volume_gets_a_folder(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home")
    started = node(settings)
    started.config_file.parent.mkdir(parents=True)
    started.config_file.write_text(render_config(started, Path("/srv/logs"), 1))
    later = Settings(home=settings.home, cold_folder=tmp_path / "cold")

    assert prepared(later, node(later)).is_dir()
