"""Tests that a resumed tail reaches the end of a topic whose last offset is a transaction marker, not a message."""

import asyncio
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from confluent_kafka import Producer
from confluent_kafka.cimpl import NewTopic

from backend.language.parse import parse
from backend.predicate.predicate import compile_predicate
from backend.tail.group import TailedQuery
from backend.tail.position import TailPosition, digest_of
from backend.tail.replay import QUIET_SECONDS, Replay
from backend.tail.topic_reader import TopicReader
from kit.clock import SystemClock
from kit.kafka import kafka_connection
from kit.settings import Settings
from schema.envelope import Envelope
from schema.topic import admin, read_topic_id
from tests.eventually import eventually
from tests.ingest.requests import request_of
from tests.running_stack import Stack

TENANT = 7
QUERY = TailedQuery(TENANT, "*", digest_of("*", TENANT), compile_predicate(parse("*")))


@pytest.fixture
def settings(stack: Stack) -> Iterator[Settings]:
    """Yields settings with a new topic of one partition, and deletes the topic afterwards."""
    topic = f"markers-{secrets.token_hex(4)}"
    client = admin(stack.settings)
    client.create_topics([NewTopic(topic, num_partitions=1)])[topic].result()
    try:
        yield stack.settings.model_copy(update={"kafka_topic": topic})
    finally:
        client.delete_topics([topic])[topic].result()


class Transactions:
    """Commits or aborts transactions in a topic. Each has one message with one record, and ends with a marker.

    The coordinator answers before the marker is in the topic. Until then, readers of committed messages see an earlier
    end, so both methods wait for the marker.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._topic = settings.kafka_topic
        self._producer = Producer({**kafka_connection(settings), "transactional.id": self._topic})
        self._producer.init_transactions(20)

    def commit(self) -> None:
        with self._marked():
            self._produce()
            self._producer.commit_transaction(20)

    def abort(self) -> None:
        with self._marked():
            self._produce()
            assert self._producer.flush(20) == 0
            self._producer.abort_transaction(20)

    @contextmanager
    def _marked(self) -> Iterator[None]:
        before = end_of(self._settings)
        yield
        eventually(lambda: end_of(self._settings) == before + 2, "the message and its marker are in the topic")

    def _produce(self) -> None:
        now = time.time_ns()
        self._producer.begin_transaction()
        headers = Envelope(TENANT, 0, "r30", 4096, now).headers()
        self._producer.produce(self._topic, request_of(now).SerializeToString(), partition=0, headers=headers)


def test_it_ends_behind_markers_that_nobody_is_given(settings: Settings) -> None:
    """Tests that a replay ends behind a marker, without the aborted message and without waiting for a further one."""
    transactions = Transactions(settings)
    transactions.commit()
    transactions.abort()

    async def use() -> list[int]:
        clock = SystemClock()
        last = TailPosition(read_topic_id(settings).epoch, clock.now_ns(), {0: 0})
        found = []
        async with Replay(settings, QUERY, clock) as replay:
            assert await replay.start(last, clock.now_ns()) is None
            for _ in ("far", "near"):
                end = end_of(settings)
                async with asyncio.timeout(QUIET_SECONDS):
                    found.append(sum([piece.records async for piece in replay.up_to({0: end}) if piece is not None]))
                assert replay.position.offsets == {0: end}
                transactions.commit()
        return found

    assert asyncio.run(use()) == [1, 1]


def test_a_tail_that_had_seen_the_last_message_is_at_the_end(settings: Settings) -> None:
    transactions = Transactions(settings)
    transactions.commit()
    end = end_of(settings)

    async def use() -> list[object]:
        clock = SystemClock()
        last = TailPosition(read_topic_id(settings).epoch, clock.now_ns(), {0: end - 1})
        async with Replay(settings, QUERY, clock) as replay:
            await replay.start(last, clock.now_ns())
            async with asyncio.timeout(QUIET_SECONDS):
                return [piece async for piece in replay.up_to({0: end}) if piece is not None]

    assert asyncio.run(use()) == []


def end_of(settings: Settings) -> int:
    reader = TopicReader(settings, lambda _error: None)
    try:
        return reader.ends([0])[0][1]
    finally:
        reader.close()
