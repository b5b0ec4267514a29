"""Tests that a replica is filled only from complete servers, and without stopping searches."""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, Self

import pytest
from confluent_kafka import TopicPartition

from ingest.committed.intent import OffsetRange, done
from ingest.refill import each_shard, refill
from ingest.refill.offsets import offset_for_copy
from ingest.refill.refill import NOTICE_SECONDS, Fill
from kit.errors import Conflict, InvalidRequest
from kit.settings import Settings
from schema.coordinates import TopicId

TOPIC = TopicId("1" * 32)
SETTINGS = Settings(clickhouse_url="http://a:1|http://b:1,http://c:1|http://d:1")
SHARDS = REPLICAS = 2
EVENTS = list[tuple[int, int, str]]


class Server:
    """A server with one table and at most one partition."""

    def __init__(self, place: tuple[int, int], events: EVENTS) -> None:
        self.rows, self.is_complete = 5, True
        self._place, self._events = place, events

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def query(self, sql: str, parameters: object = None) -> Any:  # noqa: ARG002
        if "FROM system.parts" in sql:
            return SimpleNamespace(result_rows=[("p", "day", self.rows)] if self.rows else [])
        return SimpleNamespace(result_rows=[("logs_0",)] if "MergeTree" in sql else [(0,)])

    def command(self, sql: str, settings: object = None) -> int:  # noqa: ARG002
        if sql.startswith("EXISTS"):
            return int(self.is_complete)
        for words in ("DROP TABLE", "DROP PARTITION", "CREATE TABLE"):
            if words in sql:
                self._events.append((*self._place, words))
        self.rows = 0 if "DROP PARTITION" in sql else self.rows
        self.is_complete = ("DROP TABLE" not in sql and self.is_complete) or "CREATE TABLE" in sql
        return 0

    def raw_stream(self, *_: object, **_names: object) -> Any:
        return io.BytesIO(b"rows")

    def raw_insert(self, _table: str, insert_block: Iterator[bytes], **_names: object) -> None:
        assert list(insert_block) == [b"rows"]
        self.rows = 5


class Store:
    """Two shards with two replicas, a partition for each shard, and the committed offsets of all loaders."""

    topic = TOPIC

    def __init__(self) -> None:
        self.events: EVENTS = []
        self.servers = {(s, r): Server((s, r), self.events) for s in range(SHARDS) for r in range(REPLICAS)}
        groups = [SETTINGS.of_replica(each).consumer_group for each in range(REPLICAS)]
        self.committed = {group: {shard: position(shard, 10) for shard in range(SHARDS)} for group in groups}

    def connect(self, settings: Settings, shard: int = 0, **_: object) -> Server:
        return self.servers[shard, settings.loader_replica]

    @contextmanager
    def connect_shards(self, settings: Settings) -> Iterator[Sequence[Server]]:
        yield [self.connect(settings, shard) for shard in range(SHARDS)]

    def require_stopped(self, *_: object) -> None:
        pass

    def read(self, group: str) -> Sequence[TopicPartition]:
        return list(self.committed[group].values())

    def write(self, group: str, positions: Sequence[TopicPartition]) -> None:
        self.committed[group] |= {each.partition: each for each in positions}

    def for_copies(self, positions: Sequence[TopicPartition], lanes: frozenset[int]) -> list[TopicPartition]:
        return [offset_for_copy(each, TOPIC, lanes) for each in positions]

    def lose(self, shard: int, replica: int) -> None:
        self.servers[shard, replica].rows, self.servers[shard, replica].is_complete = 0, False

    def commit(self, replica: int, committed: TopicPartition) -> None:
        self.committed[SETTINGS.of_replica(replica).consumer_group][committed.partition] = committed

    def offsets(self, replica: int) -> list[int]:
        return [each.offset for each in self.committed[SETTINGS.of_replica(replica).consumer_group].values()]

    def fill(self, fill: Fill) -> int:
        def pause(seconds: float) -> None:
            self.events.append((-1, -1, f"pause of {seconds:g} s"))

        return refill.refill(SETTINGS, fill, lambda *_: None, lambda _: None, pause)


def position(partition: int, offset: int) -> TopicPartition:
    return TopicPartition("logs", partition, offset, done(TOPIC))


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Store:
    async def erase_again(_: object) -> None:
        pass

    found = Store()
    monkeypatch.setattr(refill, "connect", found.connect)
    monkeypatch.setattr(each_shard, "connect", found.connect)
    monkeypatch.setattr(refill, "connect_shards", found.connect_shards)
    monkeypatch.setattr(refill, "wait_for_inserts", lambda *_: None)
    monkeypatch.setattr(refill, "LoaderOffsets", lambda _: found)
    monkeypatch.setattr(refill, "_erase_again", erase_again)
    return found


@pytest.mark.parametrize("fill", [Fill(0, 1), Fill(1, 0), Fill(1, 0, shard=0), Fill(0, 1, ignore_offsets=True)])
def test_a_server_that_lacks_logs_is_never_copied(store: Store, fill: Fill) -> None:
    store.lose(0, 0)
    store.lose(1, 1)
    missing = fill.source
    with pytest.raises(Conflict, match=rf"shard {missing} of replica {fill.source} may lack logs.*--shard"):
        store.fill(fill)
    assert store.events == []


def test_two_servers_of_different_shards_and_replicas_are_filled_one_after_the_other(store: Store) -> None:
    store.lose(0, 0)
    store.lose(1, 1)
    store.commit(0, position(0, 7))
    store.commit(0, position(1, 12))
    assert store.fill(Fill(0, 1, shard=0)) == 5
    assert store.offsets(0) == [10, 12]
    assert store.fill(Fill(1, 0, shard=1)) == 5
    assert store.offsets(1) == [10, 12]
    assert all(each.rows and each.is_complete for each in store.servers.values())
    assert {(shard, replica) for shard, replica, words in store.events if "TABLE" in words} == {(0, 0), (1, 1)}


@pytest.mark.parametrize(
    "ahead",
    [
        position(1, 11),
        TopicPartition("logs", 1, 10, OffsetRange(1, 10, 13, leader_epoch=0).intent(TOPIC, 1)),
        position(3, 1),
    ],
    ids=["an offset", "an intent", "a partition"],
)
def test_what_a_replica_may_have_shown_is_not_dropped_while_the_other_lacks_it(
    store: Store, ahead: TopicPartition
) -> None:
    store.commit(1, ahead)
    with pytest.raises(Conflict, match=rf"partition {ahead.partition} .*start the loaders of replica 0"):
        store.fill(Fill(1, 0))
    assert store.events == []
    assert store.fill(Fill(1, 0, ignore_offsets=True)) == 10
    assert store.offsets(1)[:2] == [10, 10]


def test_a_replica_that_searches_do_not_read_may_be_ahead(store: Store) -> None:
    store.lose(1, 1)
    store.commit(1, position(1, 11))
    assert store.fill(Fill(1, 0, shard=1)) == 5
    assert store.offsets(1) == [10, 10]


@pytest.mark.parametrize("partition", [0, 1])
def test_a_batch_from_before_the_number_of_shards_changed_is_stored_before_one_shard_is_filled(
    store: Store, partition: int
) -> None:
    started = OffsetRange(partition, 10, 13, leader_epoch=0).intent(TOPIC, 1 - partition)
    store.commit(0, TopicPartition("logs", partition, 10, started))
    with pytest.raises(Conflict, match=rf"a batch of partition {partition} was started on shard {1 - partition}"):
        store.fill(Fill(1, 0, shard=1))
    assert store.events == []
    assert store.fill(Fill(1, 0)) == 10


def test_searches_notice_that_no_shard_is_read_before_rows_are_dropped(store: Store) -> None:
    store.fill(Fill(1, 0))
    assert store.events == [
        (0, 1, "DROP TABLE"),
        (1, 1, "DROP TABLE"),
        (-1, -1, f"pause of {NOTICE_SECONDS:g} s"),
        (0, 1, "DROP PARTITION"),
        (1, 1, "DROP PARTITION"),
        (0, 1, "CREATE TABLE"),
        (1, 1, "CREATE TABLE"),
    ]


@pytest.mark.parametrize("fill", [Fill(0, 0), Fill(0, 2), Fill(-1, 0), Fill(0, 1, shard=2), Fill(0, 1, shard=-1)])
def test_only_replicas_and_shards_that_exist_are_filled(store: Store, fill: Fill) -> None:
    with pytest.raises(InvalidRequest, match="counted from 0"):
        store.fill(fill)
    assert store.events == []
