"""Measures the cost of each page by the server's query log, and reports medians and ratios of the sides."""

import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple
from typing import Final

from clickhouse_connect.driver.client import Client

from loadtest.bench import Bench
from loadtest.own_stack import OwnStack
from loadtest.plans.query_log import Cost, costs
from loadtest.plans.questions import KNOWN, Question
from loadtest.plans.rounds import Read, Rounds, play
from loadtest.plans.sides import KNOWN_SIDES, Placement, Side, baseline, over_distributed, product, sides
from loadtest.plans.study import KnownStep, OverShards, PageCost, PlansReport, Standing
from schema.clickhouse.index_profiles import Profile

GOALS: Final[Mapping[Profile, float]] = {Profile.text: 100, Profile.tokenbf: 30}
"""Smallest ratio of the time of one plain query over the exporter's table to Logsieve's, with all rows on one node."""

MAX_SHARDS_RATIO: Final = 1.2
"""Largest permitted ratio of the time of a page over two shards to that of the same page on one node."""

Measured = dict[tuple[Question, Side], list[Cost]]
"""Costs of each question on each side, one for each round."""


def measure(
    bench: Bench, stack: OwnStack, nodes: tuple[Client, Client], words: Sequence[Question], rounds: int
) -> Measured:
    """Reads each page on each side in `rounds` rounds. Returns the costs.

    Raises Internal if two sides find different numbers of records, or if the query log lacks a page.
    """
    measured: Measured = defaultdict(list)

    def count(done: Sequence[Read]) -> None:
        for read, cost in zip(done, costs(nodes, done), strict=True):
            measured[read.question, read.side].append(cost)

    play(bench, stack, nodes[0], Rounds(_requested(words), rounds, warm_up=rounds > 1), count)
    return measured


def _requested(words: Sequence[Question]) -> list[tuple[Question, Sequence[Side]]]:
    """Returns each question with the sides that answer it."""
    everywhere = [side for placement in Placement for side in sides(placement)]
    return [*((each, everywhere) for each in words), *((each, KNOWN_SIDES) for each in KNOWN)]


def plans_report(
    measured: Measured, words: Sequence[Question], records: int, rounds: int, *, smoke: bool
) -> PlansReport:
    """Returns the report: medians of all costs, ratios to the exporter's table, and the steps of the known case."""
    return PlansReport(
        smoke=smoke,
        records=records,
        rounds=rounds,
        goals=tuple(
            Standing(
                placement=placement.value,
                profile=profile.value,
                ratio=_ratio(measured, words, baseline(placement), product(placement, profile)),
                goal=GOALS[profile] if placement is Placement.local else None,
            )
            for placement in Placement
            for profile in Profile
        ),
        over_shards=tuple(
            OverShards(
                profile=profile.value,
                way=side.way.value,
                time_ratio=_ratio(measured, words, side, product(Placement.local, profile)),
                cpu_ratio=_cpu_ratio(measured, words, side, product(Placement.local, profile)),
                goal=MAX_SHARDS_RATIO if side == product(Placement.shards, profile) else None,
            )
            for profile in Profile
            for side in (product(Placement.shards, profile), over_distributed(profile))
        ),
        known_case=tuple(_known_step(measured, question, side) for question in KNOWN for side in KNOWN_SIDES),
        pages=tuple(
            PageCost(
                words=question.words,
                rows=question.rows,
                query=question.query,
                placement=side.placement.value,
                layout=side.layout,
                way=side.way.value,
                engine=side.engine.value,
                **asdict(_typical(measured[question, side])),
            )
            for question, answering in _requested(words)
            for side in answering
        ),
    )


def _known_step(measured: Measured, question: Question, side: Side) -> KnownStep:
    first, cost = _typical(measured[question, KNOWN_SIDES[0]]), _typical(measured[question, side])
    return KnownStep(
        query=question.query,
        side=side.label,
        ms=cost.seconds * 1_000,
        times_faster=first.seconds / cost.seconds,
        memory=cost.memory,
        bytes_read=cost.bytes_read,
    )


def _ratio(measured: Measured, words: Sequence[Question], slow: Side, fast: Side) -> float:
    """Returns the ratio of the median times of `slow` to those of `fast`, as the geometric mean over the questions."""
    return statistics.geometric_mean(
        [_typical(measured[each, slow]).seconds / _typical(measured[each, fast]).seconds for each in words]
    )


def _cpu_ratio(measured: Measured, words: Sequence[Question], slow: Side, fast: Side) -> float:
    """Like `_ratio`, of the processor time of all nodes."""
    return statistics.geometric_mean(
        [_typical(measured[each, slow]).cpu_seconds / _typical(measured[each, fast]).cpu_seconds for each in words]
    )


def _typical(rounds: Sequence[Cost]) -> Cost:
    """Returns the median of each value of a cost over the rounds."""
    seconds, cpu_seconds, *counts = (statistics.median(values) for values in zip(*map(astuple, rounds), strict=True))
    return Cost(seconds, cpu_seconds, *map(round, counts))
