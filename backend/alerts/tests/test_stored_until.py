"""Tests until when logs count as stored, by offsets that the test sets."""

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace

import pytest

from backend.alerts.stored_until import KEPT_READINGS, StoredUntil
from backend.alerts.topic_bounds import TopicBounds
from backend.store.replicas.reach import Reach
from kit.clock import ManualClock
from kit.errors import Unavailable
from kit.settings import Settings

START = 1_790_000_000 * 10**9


class Offsets:
    """Offsets of partitions 0 and 1: of the topic, and of the loaders of each replica."""

    def __init__(self, replicas: int = 1) -> None:
        self.first = {0: 0, 1: 0}
        self.end = {0: 0, 1: 0}
        self.stored = [{0: 0, 1: 0} for _ in range(replicas)]
        self.epoch = 1
        self.leaderless = frozenset[int]()

    async def bounds(self) -> TopicBounds:
        led = self.first.keys() - self.leaderless
        first, end = ({each: offsets[each] for each in led} for offsets in (self.first, self.end))
        return TopicBounds(first, end, self.leaderless)

    async def reaches(self) -> tuple[Reach, ...]:
        return tuple(Reach(dict(each), dict(each), self.epoch) for each in self.stored)


class Followed:
    """Reads the offsets that a test changes, as a worker does. Two seconds pass between two readings."""

    def __init__(self, offsets: Offsets, shards: int = 1, in_use: int | None = None) -> None:
        self.offsets, self.clock = offsets, ManualClock(START)
        urls = ",".join(f"http://shard-{number}:8123" for number in range(shards))
        settings = Settings(clickhouse_url=urls)
        self.stored = StoredUntil(settings, offsets.bounds, offsets.reaches, lambda _: in_use, self.clock)

    def after_reading(self, shards: Sequence[int] = (0,)) -> float | None:
        """Reads the offsets and returns the seconds from the start of the test, then moves the clock by 2 s."""
        asyncio.run(self.stored.refresh())
        self.clock.advance(2)
        until_ns = self.stored.of(shards)
        return None if until_ns is None else (until_ns - START) / 1e9


def test_logs_are_stored_until_the_reading_whose_ends_are_committed() -> None:
    offsets = Offsets()
    followed = Followed(offsets)
    assert followed.stored.of([0]) is None
    assert followed.after_reading() == 0
    offsets.end = {0: 5, 1: 3}
    assert followed.after_reading() == 0
    offsets.end, offsets.stored = {0: 9, 1: 3}, [{0: 5, 1: 2}]
    assert followed.after_reading() == 0
    offsets.stored = [{0: 8, 1: 3}]
    assert followed.after_reading() == 2  # The ends 5 and 3 were read 2 s after the start.
    offsets.stored = [{0: 9, 1: 3}]
    assert followed.after_reading() == 8


def test_the_time_is_unknown_until_the_messages_of_the_first_reading_are_stored() -> None:
    offsets = Offsets()
    offsets.end = {0: 1, 1: 0}
    followed = Followed(offsets)
    assert followed.after_reading() is None
    offsets.stored = [{0: 1, 1: 0}]
    assert followed.after_reading() == 2


def test_shards_are_followed_separately() -> None:
    offsets = Offsets()
    followed = Followed(offsets, shards=2)
    followed.after_reading()
    offsets.end = {0: 5, 1: 7}
    offsets.stored = [{0: 5, 1: 0}]
    assert followed.after_reading((0,)) == 2
    assert followed.after_reading((1,)) == 0
    assert followed.after_reading((0, 1)) == 0


def test_the_replica_that_is_read_decides() -> None:
    offsets = Offsets(replicas=2)
    offsets.end = {0: 5, 1: 0}
    offsets.stored = [{0: 0, 1: 0}, {0: 5, 1: 0}]
    assert Followed(offsets, in_use=1).after_reading() == 0
    assert Followed(offsets, in_use=0).after_reading() is None
    assert Followed(offsets, in_use=None).after_reading() is None


def test_messages_that_kafka_deleted_are_not_waited_for() -> None:
    offsets = Offsets()
    offsets.first, offsets.end = {0: 40, 1: 0}, {0: 40, 1: 0}
    assert Followed(offsets).after_reading() == 0


def test_a_shard_waits_for_a_partition_whose_leader_does_not_answer() -> None:
    offsets = Offsets()
    followed = Followed(offsets, shards=2)
    followed.after_reading()
    offsets.end, offsets.leaderless = {0: 5, 1: 5}, frozenset({1})
    offsets.stored = [{0: 5, 1: 0}]
    assert followed.after_reading((0,)) == 2
    assert followed.after_reading((1,)) == 0
    assert followed.stored.latest() == START + 4 * 10**9
    offsets.leaderless = frozenset()
    assert followed.after_reading((1,)) == 0
    offsets.stored = [{0: 5, 1: 5}]
    assert followed.after_reading((1,)) == 8


def test_offsets_of_an_earlier_topic_are_forgotten() -> None:
    offsets = Offsets()
    offsets.end = {0: 50, 1: 0}
    followed = Followed(offsets)
    assert followed.after_reading() is None
    offsets.end, offsets.epoch = {0: 0, 1: 0}, 2
    assert followed.after_reading() == 2


def test_times_of_a_clock_that_was_ahead_are_forgotten() -> None:
    offsets = Offsets()
    followed = Followed(offsets)
    followed.clock.advance(3_600)
    assert followed.after_reading() == 3_600
    followed.clock.advance(-3_600)
    offsets.end = {0: 1, 1: 0}
    assert followed.after_reading() is None
    offsets.stored = [{0: 1, 1: 0}]
    assert followed.after_reading() == 4


def test_a_lag_of_any_length_is_measured_with_a_bounded_number_of_readings() -> None:
    offsets = Offsets()
    followed = Followed(offsets)
    lag = 3 * KEPT_READINGS
    until = list[float | None]()
    for reading in range(5 * KEPT_READINGS):
        offsets.end = {0: reading, 1: 0}
        offsets.stored = [{0: max(0, reading - lag), 1: 0}]
        until.append(followed.after_reading())
    found = until[-1]
    assert found is not None
    assert 0 <= 2 * (len(until) - 1 - lag) - found <= 0.05 * 2 * lag


def test_the_lag_is_shown_while_kafka_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = list[float]()
    gauge = SimpleNamespace(set=shown.append)
    monkeypatch.setattr("backend.alerts.stored_until.metrics.gauge", lambda _: gauge)
    offsets = Offsets()
    followed = Followed(offsets)
    followed.after_reading()

    async def fail() -> TopicBounds:
        raise Unavailable("no broker")

    monkeypatch.setattr(followed.stored, "_read_bounds", fail)
    for _ in range(2):
        with pytest.raises(Unavailable):
            asyncio.run(followed.stored.refresh())
        followed.clock.advance(2)
    assert shown == [0, 2, 4]
