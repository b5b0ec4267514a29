"""Tests that a loader stores each record once although Kafka has lost its newest messages, whose offsets others get."""

import signal
from collections import Counter
from collections.abc import Iterator
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
    with new_pipeline(stack, tmp_path, **broker.pipeline_settings()) as made:
        send(made, BEFORE)
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
        broker.lose(pipeline.settings.kafka_topic, LOST)
        send(pipeline, after)
        loader = pipeline.start_loader()
    pipeline.check_exactly_once()

    broker.lose(pipeline.settings.kafka_topic, LOST)
    send(pipeline, AFTER)
    pipeline.wait(lambda: loader.poll() is not None or pipeline.stored() == pipeline.sent, "the loader goes on or ends")
    if loader.poll() is not None:
        pipeline.start_loader()
    pipeline.check_exactly_once()


def test_records_of_an_interrupted_insert_are_stored_once(pipeline: Pipeline, broker: LosingBroker) -> None:
    assert pipeline.start_loader("tests.ingest.dying_loader", Point.before_commit).wait(150) == -signal.SIGKILL
    broker.lose(pipeline.settings.kafka_topic, LOST)
    send(pipeline, AFTER)
    pipeline.start_loader()
    pipeline.check_exactly_once()


def test_an_insert_that_never_began_stores_the_messages_that_kafka_still_has(
    pipeline: Pipeline, broker: LosingBroker
) -> None:
    assert pipeline.start_loader("tests.ingest.dying_loader", Point.after_intent).wait(150) == -signal.SIGKILL
    broker.lose(pipeline.settings.kafka_topic, LOST)
    pipeline.sent = Counter({1: pipeline.sent[1] * (BEFORE - LOST) // BEFORE})
    send(pipeline, AFTER)
    pipeline.start_loader()
    pipeline.check_exactly_once()
