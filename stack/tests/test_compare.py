"""Tests how the doctor judges the contents of replicas."""

import pytest

from backend.store.replicas.reach import ReachReader
from kit.errors import Unavailable
from kit.settings import Settings
from stack.doctor.compare import MAX_NAMED, Content, Partition, compare_replicas, judge_offsets, judge_replicas
from stack.doctor.finding import Level

TODAY = Partition("logs_0", "r30", "2026-11-23")
CONTENT = Content(7, 0x5EED)


def test_equal_replicas_are_ok() -> None:
    finding = judge_replicas("replicas", [{TODAY: CONTENT}, {TODAY: CONTENT}])

    assert finding.level is Level.ok
    assert "7 records in 1 partitions" in finding.seen


def test_other_counts_other_bodies_and_missing_partitions_differ() -> None:
    for other in ({TODAY: Content(8, CONTENT.digest)}, {TODAY: Content(7, 0)}, {}):
        finding = judge_replicas("replicas", [{TODAY: CONTENT}, other])
        assert finding.level is Level.fail
        assert f"7 in replica 0, {other[TODAY].rows if other else 0} in replica 1" in finding.seen
        assert finding.advice


def test_only_some_of_many_differences_are_named() -> None:
    partitions = [Partition("logs_0", "r30", f"2026-11-{day:02}") for day in range(1, 10)]

    finding = judge_replicas("replicas", [dict.fromkeys(partitions, CONTENT), {}])

    assert finding.seen.startswith("9 of 9 partitions differ")
    assert finding.seen.count("logs_0") == MAX_NAMED


@pytest.mark.parametrize("empty", [{}, {0: 0, 1: 0}])
def test_a_replica_that_has_loaded_nothing_is_not_equal(empty: dict[int, int]) -> None:
    finding = judge_offsets([{0: 5_000, 1: 4_000}, empty])
    assert finding is not None
    assert finding.level is Level.fail
    assert finding.seen == "replica 1 has loaded nothing of 2 of 2 partitions of the topic"


def test_replicas_are_compared_up_to_the_offset_that_all_have_stored() -> None:
    assert judge_offsets([{0: 5_000, 1: 4_000, 2: 0}, {0: 3, 1: 4_000}]) is None
    assert judge_offsets([{}, {}]) is None


def test_the_reader_of_offsets_is_closed_if_kafka_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[ReachReader] = []

    async def read(_: ReachReader) -> None:
        raise Unavailable("no broker answers")

    monkeypatch.setattr(ReachReader, "read", read)
    monkeypatch.setattr(ReachReader, "close", lambda reader: closed.append(reader))

    (finding,) = compare_replicas(Settings(clickhouse_url="http://127.0.0.1:1|http://127.0.0.1:2"))

    assert (finding.level, finding.seen, len(closed)) == (Level.fail, "no broker answers", 1)
