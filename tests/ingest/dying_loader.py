"""Runs a loader that kills itself at a given point between two steps of its first delivery.

The command is `python -m tests.ingest.dying_loader POINT`. Its inserts may begin for a shorter time than those of a
real loader, so that a next loader of this module waits 4 s instead of 30. All other code is the real one.
"""

import os
import signal
import sys
from collections.abc import Sequence
from enum import StrEnum

from confluent_kafka import TopicPartition

from ingest.loader import insert_sql, loop
from ingest.loader.consume import TopicConsumer
from ingest.loader.dead_letters import DeadLetterProducer
from ingest.loader.insert import Inserter
from ingest.loader.lane_parts import BeforeSending
from ingest.loader.main import run
from kit.settings import Settings
from schema.dead_letter import DeadLetter
from schema.otlp import LogMessage
from schema.usage import Usage

START_SECONDS = 4
"""Seconds of the server's clock within which an insert must begin. A loader repeats an insert that began too late."""


class Point(StrEnum):
    """Point at which the process ends itself by SIGKILL. `nowhere` lets it run."""

    after_intent = "after_intent"
    after_dead_letters = "after_dead_letters"
    after_first_rows = "after_first_rows"  # the counts of their fields are missing
    after_first_lane = "after_first_lane"
    after_last_lane = "after_last_lane"
    before_commit = "before_commit"
    after_commit = "after_commit"
    nowhere = "nowhere"


POINTS = tuple(point for point in Point if point is not Point.nowhere)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def prepare(point: Point) -> None:
    """Replaces classes of the loader's loop, so that the process ends at the point."""

    class DyingInserter(Inserter):
        def insert(
            self,
            shard: int,
            lane: int,
            messages: Sequence[LogMessage],
            token: str,
            before_sending: BeforeSending,
        ) -> bytes:
            if point is Point.after_intent:
                die()
            counts = super().insert(shard, lane, messages, token, before_sending)
            if point is Point.after_first_rows:
                die()
            return counts

        def insert_counts(
            self, shard: int, lane: int, counts: bytes, token: str, before_sending: BeforeSending
        ) -> None:
            super().insert_counts(shard, lane, counts, token, before_sending)
            if point is Point.after_first_lane:
                die()

        def insert_usage(self, shard: int, usage: Usage, token: str) -> None:
            if point is Point.after_last_lane:
                die()
            super().insert_usage(shard, usage, token)

    class DyingDeadLetterProducer(DeadLetterProducer):
        def write(self, dead_letters: list[DeadLetter]) -> None:
            super().write(dead_letters)
            if point is Point.after_dead_letters:
                die()

    class DyingConsumer(TopicConsumer):
        def commit(self, positions: list[TopicPartition]) -> list[TopicPartition] | None:
            is_last = any((position.metadata or "").startswith("done") for position in positions)
            if is_last and point is Point.before_commit:
                die()
            answers = super().commit(positions)
            if is_last and point is Point.after_commit:
                die()
            return answers

    insert_sql.START_SECONDS = START_SECONDS  # type: ignore[misc]  # only in this process
    loop.Inserter = DyingInserter  # type: ignore[attr-defined]
    loop.DeadLetterProducer = DyingDeadLetterProducer  # type: ignore[attr-defined]
    loop.TopicConsumer = DyingConsumer  # type: ignore[attr-defined]


if __name__ == "__main__":
    prepare(Point(sys.argv[1]))
    run(Settings())
