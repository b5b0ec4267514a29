"""Tests that searches do not read a replica that was added to an installation with one, although a migration failed."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from kit.clickhouse import connect
from kit.errors import InvalidRequest
from kit.settings import Settings
from schema.clickhouse.complete import is_complete
from schema.migrate import migrate
from tests.running_stack import Stack

INSERT = "INSERT INTO logs_0 (tenant_id, timestamp) VALUES (1, now64(9))"


@pytest.fixture
def replicated(two: Stack, tmp_path: Path) -> Iterator[Settings]:
    """Yields settings of one shard with two replicas, with a database and a control plane of their own, without tables
    and without the password of searches."""
    nodes = two.settings.clickhouse_http_urls
    settings = two.settings.model_copy(
        update={
            "clickhouse_url": "|".join(nodes),
            "clickhouse_query_password": SecretStr(""),
            "clickhouse_database": f"added_replica_{secrets.token_hex(4)}",
            "control_url": f"sqlite+aiosqlite:///{tmp_path / 'control.db'}",
            "lanes": 1,
        }
    )
    assert (settings.shards, settings.topology.replicas) == (1, 2)
    yield settings
    for shard in range(len(nodes)):
        with connect(two.settings, shard=shard) as client:
            client.command(f"DROP DATABASE IF EXISTS {settings.clickhouse_database} SYNC")


def insert_row(settings: Settings) -> None:
    with connect(settings) as client:
        client.command(INSERT)


def marked(settings: Settings) -> list[bool]:
    """Returns for each replica whether searches read it."""
    found = []
    for replica in settings.each_replica:
        with connect(replica) as client:
            found.append(is_complete(client))
    return found


def test_a_replica_that_a_failed_migration_added_is_not_read(two: Stack, replicated: Settings) -> None:
    password = {"clickhouse_query_password": SecretStr(two.settings.clickhouse_query_secret)}
    first, second = replicated.each_replica
    single = replicated.model_copy(update={"clickhouse_url": first.clickhouse_http_urls[0]} | password)
    migrate(single, lambda _: None)
    insert_row(first)

    with pytest.raises(InvalidRequest, match="LOGSIEVE_CLICKHOUSE_QUERY_PASSWORD is not set"):
        migrate(replicated, lambda _: None)
    insert_row(second)
    said = list[str]()
    migrate(replicated.model_copy(update=password), said.append)

    assert marked(replicated) == [True, False]
    assert any("searches do not read replica 1 of shard 0, which may lack logs" in each for each in said)


def test_both_replicas_of_a_new_installation_are_read(two: Stack, replicated: Settings) -> None:
    with pytest.raises(InvalidRequest):
        migrate(replicated, lambda _: None)
    for replica in replicated.each_replica:
        insert_row(replica)
    password = {"clickhouse_query_password": SecretStr(two.settings.clickhouse_query_secret)}
    migrate(replicated.model_copy(update=password), lambda _: None)

    assert marked(replicated) == [True, True]
