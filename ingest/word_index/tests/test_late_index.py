"""Tests which inserts leave out the index on words."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from typing import cast

import pytest
from clickhouse_connect.driver.exceptions import DatabaseError

from ingest.word_index import late_index
from ingest.word_index.late_index import IDLE_SECONDS, MAX_PARTS, SUSTAINED_SECONDS, LateIndex
from ingest.word_index.late_parts import Ages, LatePartitions, LateParts
from ingest.word_index.parts import LEFT_OUT, RunningBuild
from kit.errors import LogsieveError, Unavailable
from kit.settings import Settings
from schema.clickhouse.index_profiles import NOT_INSERTED

ROWS = 100
TABLE = 0, "logs_0"
LATE = {NOT_INSERTED: LEFT_OUT}


class Time:
    """A clock that a test moves."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def index(time: Time, monkeypatch: pytest.MonkeyPatch) -> LateIndex:
    monkeypatch.setattr(late_index, "active_parts", lambda *_: MAX_PARTS)
    made = LateIndex(Settings(), min_rows=ROWS, monotonic=time)
    made._allowed = frozenset({TABLE})
    return made


def insert(index: LateIndex, table: str = "logs_0", rows: int = ROWS, partitions: int = 1) -> Mapping[str, str]:
    with index.insert(0, table, rows, partitions) as settings:
        return settings


def test_only_a_large_insert_soon_after_another_is_late(index: LateIndex, time: Time) -> None:
    assert insert(index) == {}
    time.now += SUSTAINED_SECONDS
    assert insert(index) == LATE
    assert insert(index, rows=ROWS - 1) == {}
    assert insert(index, rows=2 * ROWS - 1, partitions=2) == {}
    assert insert(index, rows=2 * ROWS, partitions=2) == LATE
    time.now += SUSTAINED_SECONDS + 0.1
    assert insert(index) == {}


def test_tables_with_many_parts_get_the_index_at_once(index: LateIndex) -> None:
    assert [insert(index, "logs_1") for _ in range(3)] == [{}] * 3


def test_a_table_is_pending_after_a_late_insert_even_if_it_failed(index: LateIndex, time: Time) -> None:
    insert(index)
    assert index._pending == {}
    with suppress(OSError), index.insert(0, "logs_0", ROWS, 1) as settings:
        assert settings == LATE
        assert index._pending == {}
        raise OSError
    failed_until = time.now + Settings().insert_max_seconds
    assert index._pending == {TABLE: failed_until}
    time.now += 1
    assert insert(index) == LATE
    assert index._pending == {TABLE: failed_until}


def test_parts_of_inserts_that_build_the_index_are_not_examined(
    index: LateIndex, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tests that the loop passes on how many seconds ago the last late insert ended."""
    found: list[Ages] = []

    def find(*arguments: object) -> LatePartitions:
        found.append(cast("Ages", arguments[-1]))
        return LatePartitions([], True)

    monkeypatch.setattr(LateParts, "find", find)
    monkeypatch.setattr(late_index, "running_builds", lambda *_: [])
    assert [insert(index), insert(index)] == [{}, LATE]
    for _ in range(2):
        time.now += SUSTAINED_SECONDS + 1
        assert insert(index) == {}
        index._build(None, *TABLE)  # type: ignore[arg-type]  # the replaced functions use no client
    assert found == [Ages(round(IDLE_SECONDS), 4), Ages(round(IDLE_SECONDS), 8)]


def test_tables_are_read_at_first_and_then_only_while_large_inserts_arrive(index: LateIndex, time: Time) -> None:
    assert index._needs_tables(0, time.now)
    index._read_at = {0: time.now}
    time.now += 3600
    assert not index._needs_tables(0, time.now)
    insert(index)
    assert index._needs_tables(0, time.now)


def test_a_table_without_the_index_is_not_pending(index: LateIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late_index, "indexed_tables", lambda _: {"logs_1": MAX_PARTS, "logs_2": MAX_PARTS + 1})
    index._read_tables(None, 0, 1.0)  # type: ignore[arg-type]  # the replaced function uses no client
    assert set(index._allowed) == {(0, "logs_1")}
    assert index._pending.keys() == {(0, "logs_1"), (0, "logs_2")}
    index._pending = {TABLE: 1.0, (0, "logs_2"): 1.0}
    index._read_tables(None, 0, 2.0)  # type: ignore[arg-type]
    assert index._pending == {(0, "logs_2"): 1.0}


def test_a_build_waits_until_its_table_has_fewer_parts(
    index: LateIndex, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, parts = list[object](), MAX_PARTS + 1
    monkeypatch.setattr(late_index, "running_builds", lambda *_: [])
    monkeypatch.setattr(late_index, "active_parts", lambda *_: parts)
    monkeypatch.setattr(LateParts, "find", lambda *_: LatePartitions(["a"], False))
    monkeypatch.setattr(late_index, "build_index", lambda *arguments: started.append(arguments))
    index._pending = {TABLE: 0.0}
    index._build(None, *TABLE)  # type: ignore[arg-type]  # the replaced functions use no client
    assert (index._pending, index._due(0, time.now), started) == ({TABLE: 0.0}, [], [])
    time.now += 30.0
    assert index._due(0, time.now) == ["logs_0"]
    parts = MAX_PARTS
    index._build(None, *TABLE)  # type: ignore[arg-type]
    assert len(started) == 1


@pytest.mark.parametrize("is_first_run", [False, True])
def test_a_table_is_examined_until_no_failed_insert_can_be_completed(
    is_first_run: bool, index: LateIndex, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tests an insert of this loader, and one of a loader that was killed before this one started."""
    monkeypatch.setattr(late_index, "running_builds", lambda *_: [])
    monkeypatch.setattr(late_index, "indexed_tables", lambda _: {"logs_0": MAX_PARTS})
    monkeypatch.setattr(LateParts, "find", lambda *_: LatePartitions([], False))
    if is_first_run:
        index._read_tables(None, 0, time.now)  # type: ignore[arg-type]  # the replaced functions use no client
    else:
        insert(index)
        with suppress(OSError), index.insert(0, "logs_0", ROWS, 1):
            raise OSError
    time.now += Settings().insert_max_seconds - 0.1
    index._build(None, *TABLE)  # type: ignore[arg-type]
    assert index._due(0, time.now) == ["logs_0"]
    time.now += 0.1
    index._build(None, *TABLE)  # type: ignore[arg-type]
    assert index._due(0, time.now) == []


def test_a_refused_statement_stops_no_build_of_another_table(index: LateIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that a table whose index was dropped meanwhile is then left out."""
    tables, examined = {"logs_0": 10, "logs_1": 10}, list[str]()

    def running(_: object, table: str) -> list[RunningBuild]:
        examined.append(table)
        if table not in tables:
            raise DatabaseError("no such index", code=36)
        return []

    monkeypatch.setattr(late_index, "connect", lambda *_, **__: nullcontext())
    monkeypatch.setattr(late_index, "indexed_tables", lambda _: tables)
    monkeypatch.setattr(late_index, "running_builds", running)
    monkeypatch.setattr(LateParts, "find", lambda *_: LatePartitions([], True))
    index.run_once()
    del tables["logs_0"]
    with pytest.raises(LogsieveError):
        index.run_once()
    index.run_once()
    assert examined == ["logs_0", "logs_1", "logs_0", "logs_1", "logs_1"]


def test_no_build_starts_while_another_runs(index: LateIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[object] = []
    monkeypatch.setattr(LateParts, "find", lambda *_: LatePartitions(["a"] if not started else [], False))
    monkeypatch.setattr(late_index, "build_index", lambda *arguments: started.append(arguments))
    for is_building, builds, pending in ((True, 0, 1), (False, 1, 1), (True, 1, 1), (False, 1, 0)):
        running = [RunningBuild("mutation_1.txt", 0, "")] if is_building else []
        monkeypatch.setattr(late_index, "running_builds", lambda *_, answer=running: answer)
        index._pending.setdefault(TABLE, 0.0)
        index._build(None, *TABLE)  # type: ignore[arg-type]  # the replaced functions use no client
        assert (len(started), len(index._pending)) == (builds, pending)


def test_a_failed_build_is_repeated(index: LateIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise OSError("gone")

    monkeypatch.setattr(LateParts, "find", lambda *_: LatePartitions(["a"], False))
    monkeypatch.setattr(late_index, "build_index", fails)
    monkeypatch.setattr(late_index, "running_builds", lambda *_: [])
    index._pending = {TABLE: 1.0}
    with pytest.raises(OSError, match="gone"):
        index._build(None, *TABLE)  # type: ignore[arg-type]  # the replaced functions use no client
    assert index._pending == {TABLE: 1.0}


@pytest.mark.parametrize(("place", "query"), [(late_index, "running_builds"), (LateParts, "find")])
def test_a_table_stays_pending_if_it_cannot_be_examined(
    index: LateIndex, monkeypatch: pytest.MonkeyPatch, place: object, query: str
) -> None:
    def fails(*_: object) -> None:
        raise OSError("gone")

    monkeypatch.setattr(late_index, "running_builds", lambda *_: [])
    monkeypatch.setattr(place, query, fails)
    index._pending = {TABLE: 1.0}
    with pytest.raises(OSError, match="gone"):
        index._build(None, *TABLE)  # type: ignore[arg-type]  # the replaced functions use no client
    assert index._pending == {TABLE: 1.0}


def test_a_shard_that_does_not_answer_stops_no_build_of_another(time: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that the shard's tables are examined when it answers again."""
    answers, examined = {1}, list[str]()

    @contextmanager
    def connected(_: Settings, shard: int, **__: float) -> Iterator[int]:
        if shard not in answers:
            raise Unavailable("the shard is away")
        yield shard

    def running(_: int, table: str) -> list[RunningBuild]:
        examined.append(table)
        return []

    monkeypatch.setattr(late_index, "connect", connected)
    monkeypatch.setattr(late_index, "indexed_tables", lambda shard: {f"logs_{shard}": 10})
    monkeypatch.setattr(late_index, "active_parts", lambda *_: MAX_PARTS)
    monkeypatch.setattr(late_index, "running_builds", running)
    monkeypatch.setattr(LateParts, "find", lambda *_: LatePartitions([], False))
    index = LateIndex(Settings(clickhouse_url="http://a:1,http://b:1"), min_rows=ROWS, monotonic=time)
    with pytest.raises(Unavailable, match="away"):
        index.run_once()
    assert examined == ["logs_1"]
    answers.add(0)
    index.run_once()
    assert examined == ["logs_1", "logs_0", "logs_1"]
    assert index._allowed == {(0, "logs_0"), (1, "logs_1")}
