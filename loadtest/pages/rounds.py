"""Reads all pages on all sides in rounds. Within a round, the sides read each page in random order."""

import asyncio
import random
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import chain

from clickhouse_connect.driver.client import Client

from backend.store.scope import TimeRange
from kit.clickhouse import Account
from kit.clock import Clock
from kit.errors import Internal
from loadtest.bench import Bench
from loadtest.corpus.rows import DAY_NS, FIXED_DAY_NS
from loadtest.own_stack import OwnStack
from loadtest.pages.questions import Question
from loadtest.pages.read_pages import SideReader
from loadtest.pages.sides import Side


@dataclass(frozen=True, slots=True)
class Read:
    """One page that was read, with its times.

    `started` and `ended` are microseconds since the Unix epoch. `seconds` is the duration by the monotonic clock.
    """

    question: Question
    side: Side
    started: int
    ended: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Rounds:
    """Questions with the sides that answer each, and the number of rounds.

    With `warm_up`, a round that is not counted comes first.
    """

    questions: Sequence[tuple[Question, Sequence[Side]]]
    count: int
    warm_up: bool


def play(bench: Bench, stack: OwnStack, first: Client, rounds: Rounds) -> Generator[list[Read], None, None]:
    """Yields the pages of each counted round, in the order in which they were read.

    `first` is a client of the stack's first node. Raises Internal if two sides find different numbers of records.
    """
    span = TimeRange(FIXED_DAY_NS, FIXED_DAY_NS + DAY_NS)
    account = Account.owner if bench.reads_as_owner else Account.query
    # The order is random, because a side finds the caches full of the previous side's data.
    order = random.Random(rounds.count)
    with asyncio.Runner() as loop:
        reader = SideReader(stack.settings, account, first, span, bench.clock)
        try:
            for number in range(-1 if rounds.warm_up else 0, rounds.count):
                read = (loop.run(_alternating(reader, *each, order, bench.clock)) for each in rounds.questions)
                done = list(chain.from_iterable(read))
                if number < 0:
                    bench.say("warmed up")
                    continue
                yield done
                bench.say(f"round {number + 1} of {rounds.count}")
        finally:
            loop.run(reader.aclose())


async def _alternating(
    reader: SideReader, question: Question, sides: Sequence[Side], order: random.Random, clock: Clock
) -> list[Read]:
    done, found = [], {}
    for side in order.sample(sides, len(sides)):
        started_us, started = clock.now_ns() // 1_000, clock.monotonic()
        found[side] = await reader.page(side, question)
        seconds = clock.monotonic() - started
        done.append(Read(question, side, started_us, clock.now_ns() // 1_000, seconds))
    if len(set(found.values())) != 1:
        counts = ", ".join(f"{side.placement} {side.label}: {count}" for side, count in found.items())
        raise Internal(f"{question.query!r} finds different numbers of records: {counts}")
    return done
