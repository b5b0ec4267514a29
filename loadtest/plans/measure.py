"""Reads every page on every side, round by round: all sides take turns within a round, in random order."""

import asyncio
import random
from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from clickhouse_connect.driver.client import Client

from kit.clock import Clock
from kit.errors import Internal
from kit.settings import Settings
from loadtest.own_stack import Say
from loadtest.plans.ask import Asker
from loadtest.plans.query_log import Cost, Read, costs
from loadtest.plans.questions import KNOWN, Question
from loadtest.plans.sides import KNOWN_SIDES, Placement, Side, sides
from loadtest.plans.statements import Span

_US: Final = 1_000


@dataclass(frozen=True, slots=True)
class Study:
    """`warm_up` says whether a round that is not counted comes first."""

    words: tuple[Question, ...]
    rounds: int
    warm_up: bool


Measured = dict[tuple[Question, Side], list[Cost]]
"""A cost each round."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Where it happens: `settings` of the stack with both nodes, their clients, and the time the records are of."""

    settings: Settings
    nodes: tuple[Client, Client]
    span: Span


def measure(stage: Stage, study: Study, clock: Clock, say: Say) -> Measured:
    """Raises Internal when two sides find a different number of records, or the query log lacks a page."""
    return asyncio.run(_rounds(stage, study, clock, say))


async def _rounds(stage: Stage, study: Study, clock: Clock, say: Say) -> Measured:
    measured: Measured = defaultdict(list)
    asker = Asker(stage.settings, stage.nodes[0], stage.span, clock)
    # Whoever comes first after another side finds the caches full of that side's data.
    order = random.Random(study.rounds)
    try:
        for number in range(-1 if study.warm_up else 0, study.rounds):
            done = await _round(asker, study.words, order, clock)
            found = costs(stage.nodes, [read for _, _, read in done])
            if number < 0:
                say("warmed up")
                continue
            for (question, side, _), cost in zip(done, found, strict=True):
                measured[question, side].append(cost)
            say(f"round {number + 1} of {study.rounds}")
    finally:
        await asker.close()
    return measured


async def _round(
    asker: Asker, words: tuple[Question, ...], order: random.Random, clock: Clock
) -> list[tuple[Question, Side, Read]]:
    everywhere = tuple(side for placement in Placement for side in sides(placement))
    done = []
    for question, taking_part in [*((each, everywhere) for each in words), *((each, KNOWN_SIDES) for each in KNOWN)]:
        counts: dict[Side, int] = {}
        for side in order.sample(taking_part, len(taking_part)):
            began = clock.now_ns() // _US
            counts[side] = await asker.page(side, question)
            done.append((question, side, Read(began, clock.now_ns() // _US)))
        if len(set(counts.values())) != 1:
            told = ", ".join(f"{side.placement} {side.label}: {count}" for side, count in counts.items())
            raise Internal(f"{question.query!r} finds different numbers of records: {told}")
    return done
