"""Tests that a loader killed between any two steps of a delivery loses and doubles no record."""

import signal

import pytest

from ingest.dead.listing import list_dead_letters
from tests.ingest.dying_loader import POINTS
from tests.ingest.pipeline import Pipeline


@pytest.mark.parametrize("point", POINTS)
def test_killed_loader_is_repeated_exactly(pipeline: Pipeline, point: str) -> None:
    pipeline.send(messages=60)
    pipeline.send_raw(b"\xff", [("who", b"nobody")])
    pipeline.flush()
    dying = pipeline.start_loader("tests.ingest.dying_loader", point)
    assert dying.wait(150) == -signal.SIGKILL
    # Further messages arrive before the next loader starts. They must not become part of the range that it repeats.
    pipeline.send(messages=60)
    pipeline.start_loader()
    pipeline.check_exactly_once()
    pipeline.wait(lambda: len(list_dead_letters(pipeline.settings)) >= 1, "the letter is set aside")
    [letter] = list_dead_letters(pipeline.settings)
    assert letter.code == "envelope"


def test_killed_again_and_again(pipeline: Pipeline) -> None:
    """Tests that each loader repeats the state that the previous one left, although it is killed at another point."""
    pipeline.send(messages=30)
    for point in POINTS:
        pipeline.send_raw(b"\xff", [])
        pipeline.send(messages=30)
        dying = pipeline.start_loader("tests.ingest.dying_loader", point)
        assert dying.wait(150) == -signal.SIGKILL, pipeline.last_lines()
    pipeline.start_loader()
    pipeline.check_exactly_once()
    pipeline.wait(lambda: len(list_dead_letters(pipeline.settings)) >= len(POINTS), "the dead letters are written")
    assert len(list_dead_letters(pipeline.settings)) == len(POINTS)
