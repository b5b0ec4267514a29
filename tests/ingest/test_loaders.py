"""Tests that each record is stored exactly once while loaders of one group start, stop, freeze and are killed."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.forked_module import ForkedModule
from tests.ingest.pipeline import Pipeline, new_pipeline
from tests.running_stack import Stack


@pytest.fixture
def pipeline(stack: Stack, tmp_path: Path) -> Iterator[Pipeline]:
    with new_pipeline(stack, tmp_path, LOADER_BATCH_ROWS="500", LOADER_BATCH_SECONDS="0.2") as made:
        yield made


@contextmanager
def load(pipeline: Pipeline) -> Iterator[None]:
    """Sends records until the block ends."""
    stopping = threading.Event()

    def send() -> None:
        while not stopping.is_set():
            pipeline.send(messages=12)
            stopping.wait(0.5)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        yield
    finally:
        stopping.set()
        sender.join()


def progress(pipeline: Pipeline) -> None:
    """Waits until records that were sent from now on are stored, which shows that the group works."""
    aim = pipeline.sent.total() + 100
    pipeline.wait(lambda: pipeline.stored().total() >= aim, "loading goes on")


def test_loaders_come_and_go_while_records_arrive(pipeline: Pipeline) -> None:
    first = pipeline.start_loader()
    with load(pipeline):
        progress(pipeline)
        second = pipeline.start_loader()
        progress(pipeline)
        third = pipeline.start_loader()
        progress(pipeline)
        first.kill()
        progress(pipeline)
        second.send_signal(signal.SIGTERM)
        assert second.wait(20) == 0
        progress(pipeline)
        pipeline.start_loader()
        progress(pipeline)
        assert third.poll() is None
    pipeline.check_exactly_once()


def stand_still(loader: ForkedModule, seconds: float) -> None:
    loader.send_signal(signal.SIGSTOP)
    time.sleep(seconds)
    loader.send_signal(signal.SIGCONT)


def test_a_loader_that_stood_still_ends_and_changes_nothing(pipeline: Pipeline) -> None:
    zombie = pipeline.start_loader()
    with load(pipeline):
        progress(pipeline)
        zombie.send_signal(signal.SIGSTOP)
        time.sleep(1)
        second = pipeline.start_loader()
        progress(pipeline)
        # The group has no other consumer then, so Kafka would not refuse the frozen loader's commit.
        second.kill()
        time.sleep(11)
        zombie.send_signal(signal.SIGCONT)
        assert zombie.wait(30) == 1
        assert "stood still" in pipeline.log_file(0).read_text()
        pipeline.start_loader()
        progress(pipeline)
    pipeline.check_exactly_once()


def test_a_short_standstill_is_nothing(pipeline: Pipeline) -> None:
    loader = pipeline.start_loader()
    with load(pipeline):
        progress(pipeline)
        stand_still(loader, 2)
        progress(pipeline)
        assert loader.poll() is None
    pipeline.check_exactly_once()


def test_a_loader_with_room_for_one_message_gets_through_all_the_same(pipeline: Pipeline) -> None:
    pipeline.send(messages=400)
    first = pipeline.start_loader(LOGSIEVE_LOADER_MEMORY_BYTES="1")
    pipeline.wait_until_stored(share=0.3)
    # The next loader must repeat the ranges of four partitions, which exceed its memory even more.
    first.kill()
    first.wait(10)
    pipeline.start_loader(LOGSIEVE_LOADER_MEMORY_BYTES="1")
    pipeline.check_exactly_once()
