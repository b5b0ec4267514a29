"""Tests that no shard is added while the replicas of the store have loaded different messages."""

import secrets
from collections.abc import Iterator, Mapping

import pytest
from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, TopicPartition

from ingest.committed.intent import OffsetRange, done
from ingest.refill.added_shard import require_equal_replicas
from kit.clickhouse import connect
from kit.errors import Conflict
from kit.kafka import kafka_connection
from kit.settings import Settings
from schema.clickhouse.complete import mark_complete
from schema.topic import admin, read_topic_id
from tests.eventually import eventually
from tests.forked_module import run_module
from tests.running_stack import Stack, stack_environment

DATABASE = "of_added_shard"
REPLICAS = 2


@pytest.fixture
def settings(two: Stack) -> Iterator[Settings]:
    """Yields settings of two shards with two replicas, of which only shard 0 was migrated, and whose loaders have
    committed nothing. Both replicas of a shard are one node, by two names."""
    nodes = [url.removeprefix("http://127.0.0.1:") for url in two.settings.clickhouse_http_urls]
    urls = ",".join(f"http://127.0.0.1:{port}|http://localhost:{port}" for port in nodes)
    changed = {"clickhouse_url": urls, "clickhouse_database": DATABASE, "loader_group": f"added-{secrets.token_hex(4)}"}
    settings = two.settings.model_copy(update=changed)
    with connect(two.settings, shard=0) as client:
        client.command(f"DROP DATABASE IF EXISTS {DATABASE} SYNC")
        client.command(f"CREATE DATABASE {DATABASE}")
    with connect(settings, shard=0) as client:
        client.command("CREATE TABLE logs_0 (tenant_id UInt32) ENGINE = Null")
        mark_complete(client)
    yield settings
    for shard in range(settings.shards):
        with connect(two.settings, shard=shard) as client:
            client.command(f"DROP DATABASE IF EXISTS {DATABASE} SYNC")


def commit(settings: Settings, replica: int, offsets: Mapping[int, int], metadata: str | None = None) -> None:
    """Commits offsets, by partition, as a loader of the replica does after inserts, or with this metadata."""
    text = metadata or done(read_topic_id(settings))
    positions = [TopicPartition(settings.kafka_topic, each, offset, text) for each, offset in offsets.items()]
    group = settings.of_replica(replica).consumer_group
    client = admin(settings)
    client.alter_consumer_group_offsets([ConsumerGroupTopicPartitions(group, positions)])[group].result()


def test_a_shard_is_added_if_nothing_was_loaded(settings: Settings) -> None:
    require_equal_replicas(settings)


def test_a_shard_is_added_if_the_replicas_have_loaded_the_same(settings: Settings) -> None:
    for replica in range(REPLICAS):
        commit(settings, replica, {0: 40, 1: 50})

    require_equal_replicas(settings)


def test_a_shard_is_refused_if_the_replicas_have_loaded_different_messages(settings: Settings) -> None:
    commit(settings, 0, {0: 40, 1: 50})
    commit(settings, 1, {0: 40, 1: 51})

    with pytest.raises(Conflict, match=r"shard 1 is new.* partition 1 \(50 of replica 0, 51 of replica 1\)"):
        require_equal_replicas(settings)


def test_a_shard_is_refused_if_a_replica_has_loaded_nothing_of_a_partition(settings: Settings) -> None:
    commit(settings, 0, {0: 40, 1: 50})
    commit(settings, 1, {0: 40})

    with pytest.raises(Conflict, match=r"partition 1 \(50 of replica 0, 0 of replica 1\)"):
        require_equal_replicas(settings)


def test_a_shard_is_refused_while_an_interrupted_insert_must_be_repeated(settings: Settings) -> None:
    commit(settings, 0, {0: 40})
    intent = OffsetRange(0, 40, 45).intent(read_topic_id(settings), shard=0)
    commit(settings, 1, {0: 40}, intent)

    with pytest.raises(Conflict, match="an insert of replica 1 was interrupted, of messages of partition 0"):
        require_equal_replicas(settings)


def test_a_shard_whose_migration_broke_off_is_new(two: Stack, settings: Settings) -> None:
    commit(settings, 0, {0: 40})
    commit(settings, 1, {0: 30})
    with connect(two.settings, shard=1) as client:
        client.command(f"CREATE DATABASE {DATABASE}")
    with connect(settings, shard=1) as client:
        client.command("CREATE TABLE logs_0 (tenant_id UInt32) ENGINE = Null")

        with pytest.raises(Conflict, match="shard 1 is new"):
            require_equal_replicas(settings)
        mark_complete(client)
        require_equal_replicas(settings)


def test_a_first_migration_that_broke_off_is_repeated_without_a_topic(settings: Settings) -> None:
    with connect(settings, shard=0) as client:
        client.command("DROP TABLE complete_replica SYNC")

    require_equal_replicas(settings.model_copy(update={"kafka_topic": "missing"}))


def test_a_shard_is_refused_while_loaders_run(settings: Settings) -> None:
    group = settings.of_replica(1).consumer_group
    consumer = Consumer(kafka_connection(settings) | {"group.id": group, "auto.offset.reset": "latest"})
    try:
        consumer.subscribe([settings.kafka_topic])
        eventually(lambda: consumer.poll(0.1) is None and bool(consumer.assignment()), "a consumer is assigned", 60)
        with pytest.raises(Conflict, match="1 loaders of replica 1 are running: stop them"):
            require_equal_replicas(settings)
    finally:
        consumer.close()


def test_migrate_refuses_the_shard_before_it_changes_anything(two: Stack, settings: Settings) -> None:
    commit(settings, 0, {0: 40})
    commit(settings, 1, {0: 30})
    variables = {
        "LOGSIEVE_CLICKHOUSE_URL": settings.clickhouse_url or "",
        "LOGSIEVE_CLICKHOUSE_DATABASE": DATABASE,
        "LOGSIEVE_LOADER_GROUP": settings.loader_group,
    }

    environment = stack_environment(two.home, two.settings.port_offset, variables)
    refused = run_module(("stack", "migrate"), environment, 120)

    assert refused.returncode == 1
    assert "conflict: shard 1 is new" in refused.stderr
    with connect(two.settings, shard=1) as client:
        assert client.command(f"EXISTS DATABASE {DATABASE}") == 0
