"""Runs a loader that kills itself at a given point while it loads a batch in parts.

The command is `python -m tests.faults.dying_splitter POINT`. Its inserts may begin for a shorter time than those of a
real loader, so that the next loader has to wait less.
"""

import os
import signal
import sys
from enum import StrEnum

from ingest.loader import insert_sql, loop
from ingest.loader.dead_letters import DeadLetterProducer
from ingest.loader.insert import Inserter
from ingest.loader.lane_parts import BeforeSending, MissingRows
from ingest.loader.main import run
from kit.settings import Settings
from schema.dead_letter import DeadLetter
from tests.ingest.dying_loader import START_SECONDS


class Point(StrEnum):
    """Point at which the process ends itself by SIGKILL. `nowhere` lets it run."""

    before_first_part = "before_first_part"
    after_first_part = "after_first_part"
    after_dead_letter = "after_dead_letter"
    nowhere = "nowhere"


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def prepare(point: Point) -> None:
    """Replaces classes of the loader's loop, so that the process ends at the point."""

    class DyingInserter(Inserter):
        def insert_missing(
            self, shard: int, lane: int, missing: MissingRows, token: str, before_sending: BeforeSending
        ) -> None:
            if point is Point.before_first_part:
                die()
            super().insert_missing(shard, lane, missing, token, before_sending)
            if point is Point.after_first_part:
                die()

    class DyingDeadLetterProducer(DeadLetterProducer):
        def write(self, dead_letters: list[DeadLetter]) -> None:
            super().write(dead_letters)
            if point is Point.after_dead_letter:
                die()

    insert_sql.START_SECONDS = START_SECONDS  # type: ignore[misc]  # only in this process
    loop.Inserter = DyingInserter  # type: ignore[attr-defined]
    loop.DeadLetterProducer = DyingDeadLetterProducer  # type: ignore[attr-defined]


if __name__ == "__main__":
    prepare(Point(sys.argv[1]))
    run(Settings())
