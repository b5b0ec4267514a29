"""Tests that a loader stores each record once although Kafka has lost its newest messages, whose offsets others get."""

import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.ingest.dying_loader import Point
from tests.ingest.losing_broker import LosingBroker, losing_broker
from tests.ingest.pipeline import Pipeline, new_pipeline
from tests.running_stack import Stack

BEFORE, LOST, AFTER = 8, 4, 6
"""Messages that are sent first, those that Kafka loses each time, and messages that are sent afterwards."""


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LosingBroker]:
    with losing_broker(tmp_path_factory.mktemp("broker") / "home") as started:
        yield started


@pytest.fixture
def pipeline(stack: Stack, broker: LosingBroker, tmp_path: Path) -> Iterator[Pipeline]:
    with started(stack, broker, tmp_path) as made:
        yield made


@contextmanager
def started(stack: Stack, broker: LosingBroker, folder: Path, has_marker: bool = False) -> Iterator[Pipeline]:
    """Yields a pipeline with BEFORE messages. With `has_marker`, a transaction's marker is before the last LOST."""
    folder.mkdir(exist_ok=True)
    with new_pipeline(stack, folder, **broker.pipeline_settings()) as made:
        send(made, BEFORE - LOST)
        if has_marker:
            made.abort_transaction(partition=0)
        send(made, LOST)
        yield made


def send(pipeline: Pipeline, messages: int) -> None:
    for _ in range(messages):
        pipeline.send(messages=1, partition=0)


def test_messages_that_were_loaded_are_not_loaded_again(pipeline: Pipeline, broker: LosingBroker) -> None:
    """Tests loaders that start before the lost offsets are used again and afterwards, and one that runs meanwhile."""
    loader = pipeline.start_loader()
    for after in (LOST - 2, AFTER):
        pipeline.check_exactly_once()
        loader.send_signal(signal.SIGTERM)
        assert loader.wait(60) == 0
        broker.lose(LOST, pipeline.settings.kafka_topic)
        send(pipeline, after)
        loader = pipeline.start_loader()
    pipeline.check_exactly_once()

    broker.lose(LOST, pipeline.settings.kafka_topic)
    send(pipeline, AFTER)
    pipeline.wait(lambda: loader.poll() is not None or pipeline.stored() == pipeline.sent, "the loader goes on or ends")
    if loader.poll() is not None:
        pipeline.start_loader()
    pipeline.check_exactly_once()


def test_an_interrupted_insert_stores_each_message_that_kafka_still_has_once(
    stack: Stack, broker: LosingBroker, tmp_path: Path
) -> None:
    """Tests an insert that stored all its messages, also those that Kafka loses then, and inserts that had not begun:
    one that messages follow, one that none follows, and one after which only a marker is left."""
    cases = (
        (Point.before_commit, AFTER, False),
        (Point.after_intent, AFTER, False),
        (Point.after_intent, 0, False),
        (Point.after_intent, 0, True),
    )
    with ExitStack() as opened:
        interrupted = [
            opened.enter_context(started(stack, broker, tmp_path / f"case-{number}", has_marker))
            for number, (_, _, has_marker) in enumerate(cases)
        ]
        dying = [
            pipeline.start_loader("tests.ingest.dying_loader", point)
            for pipeline, (point, _, _) in zip(interrupted, cases, strict=True)
        ]
        assert [each.wait(150) for each in dying] == [-signal.SIGKILL] * len(cases)
        broker.lose(LOST, *(each.settings.kafka_topic for each in interrupted))
        for pipeline, (point, after, _) in zip(interrupted, cases, strict=True):
            if point is Point.after_intent:
                pipeline.sent = Counter({1: pipeline.sent[1] * (BEFORE - LOST) // BEFORE})
            send(pipeline, after)
            pipeline.start_loader("tests.ingest.dying_loader", Point.nowhere)
        for pipeline in interrupted:
            pipeline.check_exactly_once()
