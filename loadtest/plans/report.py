"""What the costs come to: medians, ratios to the exporter's table, the known case step by step, the goals."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from loadtest.plans.measure import Measured
from loadtest.plans.query_log import Cost
from loadtest.plans.questions import KNOWN, Question
from loadtest.plans.sides import KNOWN_SIDES, Placement, Side, baseline, product
from schema.clickhouse.index_profiles import Profile

GOALS: Final[Mapping[Profile, float]] = {Profile.text: 100, Profile.tokenbf: 30}
"""So many times as fast as one plain query over the exporter's table, with all rows on one node."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Ours as it is shipped against the exporter's table; geometric mean over the searches, of medians."""

    placement: Placement
    profile: Profile
    ratio: float

    @property
    def goal(self) -> float | None:
        return GOALS[self.profile] if self.placement is Placement.local else None

    @property
    def passed(self) -> bool:
        return self.goal is None or self.ratio >= self.goal


@dataclass(frozen=True, slots=True)
class KnownStep:
    """`times_faster` than the first step of the same question."""

    query: str
    side: Side
    cost: Cost
    times_faster: float


def typical(costs: Sequence[Cost]) -> Cost:
    """The median of each figure over the rounds."""
    return Cost(
        statistics.median(each.seconds for each in costs),
        round(statistics.median(each.memory for each in costs)),
        round(statistics.median(each.rows_read for each in costs)),
        round(statistics.median(each.bytes_read for each in costs)),
        round(statistics.median(each.granules for each in costs)),
        round(statistics.median(each.statements for each in costs)),
    )


def ratio(measured: Measured, words: Sequence[Question], slow: Side, fast: Side) -> float:
    """How many times as fast `fast` is, geometric mean over the questions."""
    return statistics.geometric_mean(
        [typical(measured[each, slow]).seconds / typical(measured[each, fast]).seconds for each in words]
    )


def standings(measured: Measured, words: Sequence[Question]) -> list[Standing]:
    return [
        Standing(placement, profile, ratio(measured, words, baseline(placement), product(placement, profile)))
        for placement in Placement
        for profile in Profile
    ]


def known_steps(measured: Measured) -> list[KnownStep]:
    """For each question of the known case its steps in order."""
    steps = []
    for question in KNOWN:
        first = typical(measured[question, KNOWN_SIDES[0]]).seconds
        for side in KNOWN_SIDES:
            cost = typical(measured[question, side])
            steps.append(KnownStep(question.query, side, cost, first / cost.seconds))
    return steps


def as_plain(measured: Measured, words: Sequence[Question], goals: bool) -> dict[str, Any]:
    """For `--json`; without `goals` it is enough that everything was measured."""
    stand = standings(measured, words)
    return {
        "passed": all(each.passed for each in stand) or not goals,
        "goals": [{**asdict(each), "goal": each.goal} for each in stand],
        "known_case": [
            {
                "query": each.query,
                "side": each.side.label,
                "ms": round(each.cost.seconds * 1_000, 2),
                "times_faster": round(each.times_faster, 2),
            }
            for each in known_steps(measured)
        ],
        "pages": [
            {
                "words": question.case.words,
                "rows": question.case.rows,
                "query": question.query,
                "placement": side.placement,
                "layout": side.layout,
                "way": side.way,
                "engine": side.engine,
                **asdict(typical(costs)),
            }
            for (question, side), costs in measured.items()
        ],
    }
