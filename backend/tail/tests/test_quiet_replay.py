"""Tests when a replay ends because Kafka delivers nothing of a partition."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import aclosing
from typing import ClassVar

import pytest
from confluent_kafka import Message

from backend.tail import replay
from backend.tail.replay import QUIET_SECONDS, Replay
from backend.tail.tests.kafka_messages import message_of
from backend.tail.tests.test_replay import NOW, OTHER, QUERY, START, TENANT, TOPIC
from backend.tail.tests.topic_in_memory import TopicInMemory
from kit.clock import ManualClock
from kit.errors import Unavailable
from kit.settings import Settings

ENDS = {0: 3, 1: 3}


class Slow(TopicInMemory):
    """A topic whose reads take a second and return one message of each partition in `delivering`.

    Like messages that were fetched before, those of a partition that is no longer read are delivered too.
    """

    clock: ClassVar[ManualClock]
    delivering: ClassVar[set[int]]
    assigned: ClassVar[list[dict[int, int]]]

    def assign(self, offsets: Mapping[int, int]) -> None:
        self.assigned.append(dict(offsets))
        self._next = {**dict.fromkeys(ENDS, 0), **self._next, **offsets}

    def read(self, _seconds: float) -> list[Message]:
        self.clock.advance(1)
        found = []
        for each in sorted(self.delivering):
            found.append(message_of(TENANT if each == 0 else OTHER, ["red"], each, self._next[each]))
            self._next[each] += 1
        return found


@pytest.fixture(autouse=True)
def _topic(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(replay, "TopicReader", Slow)
    monkeypatch.setattr(replay, "topic_id", lambda _reader: TOPIC)
    Slow.clock, Slow.assigned = ManualClock(NOW), []
    Slow.messages |= {each: [message_of(OTHER, ["red"], each, offset) for offset in range(3)] for each in ENDS}
    yield
    Slow.messages |= {each: [] for each in ENDS}


async def replayed(seconds_of_client: float = 0) -> int:
    """Returns the number of records. The client takes some seconds to read each piece."""
    records = 0
    async with Replay(Settings(), QUERY, Slow.clock) as reading:
        await reading.start(START, NOW)
        async with aclosing(reading.up_to(ENDS)) as pieces:
            async for piece in pieces:
                records += 0 if piece is None else piece.records
                Slow.clock.advance(seconds_of_client)
    return records


@pytest.mark.timeout(30)
def test_a_replay_ends_although_a_partition_that_it_has_read_goes_on() -> None:
    Slow.delivering = {1}
    started = Slow.clock.monotonic()
    with pytest.raises(Unavailable, match="did not deliver"):
        asyncio.run(replayed())
    assert Slow.clock.monotonic() - started <= 3 + QUIET_SECONDS + 2
    assert Slow.assigned == [{0: 0, 1: 0}, {0: 0}], "it stops reading a partition that it has read to its end"


def test_a_replay_that_continues_reads_the_other_partition_from_where_it_was() -> None:
    Slow.delivering = {0, 1}
    ends, ENDS[0] = ENDS[0], 20
    try:
        assert asyncio.run(replayed()) == 20
    finally:
        ENDS[0] = ends
    assert Slow.assigned == [{0: 0, 1: 0}, {0: 3}]


@pytest.mark.parametrize("seconds", [0, 3 * QUIET_SECONDS])
def test_a_slow_client_does_not_end_a_replay(seconds: float) -> None:
    Slow.delivering = {0, 1}
    assert asyncio.run(replayed(seconds)) == 3
