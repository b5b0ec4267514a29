"""Tests how the shards and replicas of the log store are named."""

from pathlib import Path

import pytest

from kit.own_nodes import own_nodes_file
from kit.settings import Settings
from kit.topology import Place, Topology

TWO_BY_TWO = "http://a:1|http://b:1/, http://c:1 | http://d:1"


def test_commas_separate_shards_and_bars_their_replicas() -> None:
    topology = Topology.read(TWO_BY_TWO)

    assert topology.shards == (("http://a:1", "http://b:1"), ("http://c:1", "http://d:1"))
    assert [topology.of_replica(replica) for replica in range(topology.replicas)] == [
        ("http://a:1", "http://c:1"),
        ("http://b:1", "http://d:1"),
    ]
    assert {place: topology.url(place) for place in topology.places}[Place(1, 0)] == "http://c:1"
    assert Topology.read(topology.text) == topology


def test_urls_without_a_bar_mean_what_they_meant_before() -> None:
    settings = Settings(clickhouse_url="http://a:8123, http://b:8123/,")

    assert settings.clickhouse_http_urls == ("http://a:8123", "http://b:8123")
    assert (settings.shards, settings.topology.replicas, settings.consumer_group) == (2, 1, "logsieve-loader")


@pytest.mark.parametrize("text", ["", ",", "http://a|", "|http://a", "http://a|http://b,http://c"])
def test_shards_without_as_many_replicas_as_the_others_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="LOGSIEVE_CLICKHOUSE_URL"):
        Settings(clickhouse_url=text)


@pytest.mark.parametrize("text", ["http://a,,http://b", ",http://a", "http://a,,", "http://a, ,http://b"])
def test_a_missing_shard_does_not_move_the_others_to_its_number(text: str) -> None:
    with pytest.raises(ValueError, match="give a URL for each replica of each shard"):
        Settings(clickhouse_url=text)


@pytest.mark.parametrize("text", ["http://a,http://b,http://a/", "http://a|http://a:8123"])
def test_a_server_that_is_named_twice_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="has 'http://a:8123' twice"):
        Settings(clickhouse_url=text)


@pytest.mark.parametrize("text", ["a:8123", "10.0.0.5:8123", "http://a,b:8123", "http://a:x", "http://a:0", "http://"])
def test_a_server_without_a_complete_url_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"LOGSIEVE_CLICKHOUSE_URL has .* is not a URL: give one such as"):
        Settings(clickhouse_url=text)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://a", "http://a:8123"),
        ("https://a/", "https://a:8443"),
        ("https://a:443", "https://a:443"),
        ("http://[::1]", "http://[::1]:8123"),
    ],
)
def test_a_url_without_a_port_has_the_port_of_its_scheme(text: str, url: str) -> None:
    assert Settings(clickhouse_url=text).clickhouse_http_url == url


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("http://me:s3cret@a", "_USER and LOGSIEVE_CLICKHOUSE_PASSWORD$"),
        ("me:s3cret@a:8123", "_USER and LOGSIEVE_CLICKHOUSE_PASSWORD$"),
        ("http://me:s3,cret@a,,http://b", "_USER and LOGSIEVE_CLICKHOUSE_PASSWORD$"),
        ("http://a/?user=me&password=s3cret", "_USER, LOGSIEVE_CLICKHOUSE_PASSWORD and LOGSIEVE_CLICKHOUSE_DATABASE$"),
        ("http://a#s3cret", "_USER, LOGSIEVE_CLICKHOUSE_PASSWORD and LOGSIEVE_CLICKHOUSE_DATABASE$"),
        (
            "http://a/logs",
            "has 'http://a/logs', which has a path: .* set LOGSIEVE_CLICKHOUSE_DATABASE to the database$",
        ),
    ],
)
def test_parts_of_a_url_that_other_settings_hold_are_refused_and_not_shown(text: str, names: str) -> None:
    with pytest.raises(ValueError, match=names) as refused:
        Topology.read(text)
    assert "s3cret" not in str(refused.value)


def test_a_loader_fills_one_url_of_each_shard() -> None:
    settings = Settings(clickhouse_url=TWO_BY_TWO, loader_replica=1)

    assert settings.clickhouse_http_urls == ("http://b:1", "http://d:1")
    assert settings.consumer_group == "logsieve-loader-1"
    with pytest.raises(ValueError, match="there are 2 replicas"):
        Settings(clickhouse_url=TWO_BY_TWO, loader_replica=2)


def test_a_server_is_named_only_as_far_as_there_are_others() -> None:
    assert Topology.read("http://a").name(Place(0, 0)) == ""
    assert Topology.read("http://a,http://b").name(Place(1, 0)) == "shard 1"
    assert Topology.read("http://a|http://b").name(Place(0, 1)) == "replica 1"
    assert Topology.read(TWO_BY_TWO).name(Place(1, 1)) == "shard 1, replica 1"


def test_options_of_up_are_remembered_unless_settings_say_otherwise(tmp_path: Path) -> None:
    file = own_nodes_file(tmp_path)
    file.parent.mkdir()
    file.write_text("2 3\n")

    assert len(Settings(home=tmp_path).topology.places) == 6
    assert Settings(home=tmp_path, clickhouse_nodes=4).own_nodes == (4, 3)
    assert Settings(home=tmp_path, clickhouse_replicas=2).own_nodes == (2, 2)
    assert Settings(home=tmp_path, clickhouse_nodes=4, clickhouse_replicas=2).own_nodes == (4, 2)
    assert len(Settings(home=tmp_path, clickhouse_url="http://a").topology.places) == 1
