"""Times the product's structure and the naive one on the same records, in one run."""

import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from kit.errors import Internal
from loadtest.bench import Say
from loadtest.policy.report import BASELINE, Effort, Timing
from loadtest.policy.structures import STRUCTURES, Matcher
from loadtest.policy.workload import make_records, make_rules

RULE_COUNTS: Final = (10, 100, 1000)
MISS_SHARES: Final = (0.5, 0.9, 0.99)
HOSTILE_MISS_SHARE: Final = 0.99

Stopwatch = Callable[[], float]
"""Returns seconds since some moment: CPU time of the thread, so that other processes of the machine matter little."""


@dataclass(frozen=True, slots=True)
class Case:
    """A workload. With `repeat` names come again from record to record; without it every name is new."""

    rules: int
    miss_share: float
    repeat: bool


CASES: Final = (
    *(Case(rules, miss_share, True) for rules in RULE_COUNTS for miss_share in MISS_SHARES),
    *(Case(rules, HOSTILE_MISS_SHARE, False) for rules in RULE_COUNTS),
)


def measure(effort: Effort, stopwatch: Stopwatch, say: Say) -> list[Timing]:
    """Times all structures over all cases. Raises Internal when two structures disagree."""
    return [timing for case in CASES for timing in _measure_case(case, effort, stopwatch, say)]


def _measure_case(case: Case, effort: Effort, stopwatch: Stopwatch, say: Say) -> list[Timing]:
    rng = random.Random(f"{effort.seed}/{case}")
    rules = make_rules(case.rules, rng)
    records = make_records(rules, case.miss_share, case.repeat, effort.records * (effort.rounds + 1), rng)
    encoded = [[name.encode() for name in record] for record in records]
    say(f"{case.rules} rules, {case.miss_share:.0%} of names under none{'' if case.repeat else ', names never repeat'}")
    matchers = {name: build(rules) for name, build in STRUCTURES.items()}
    # On records that are not timed, so that no round finds its own names remembered.
    _agree(matchers, records[effort.records * effort.rounds :])
    rounds: dict[str, list[float]] = {name: [] for name in matchers}
    for turn in range(effort.rounds):
        # Structures take turns, so that a slow moment of the machine meets all of them.
        batch = encoded[turn * effort.records : (turn + 1) * effort.records]
        for name, match in matchers.items():
            rounds[name].append(_seconds(match, batch, stopwatch) / effort.records * 1e6)
    return [
        Timing(
            structure=name,
            rules=case.rules,
            miss_share=case.miss_share,
            repeat=case.repeat,
            microseconds=statistics.median(own),
            spread=spread(own),
            speedup=statistics.median(rounds[BASELINE]) / statistics.median(own),
        )
        for name, own in rounds.items()
    ]


def spread(rounds: Sequence[float]) -> float:
    """Returns the slowest round minus the fastest, over the median."""
    return (max(rounds) - min(rounds)) / statistics.median(rounds)


def _seconds(match: Matcher, batch: Sequence[Sequence[bytes]], stopwatch: Stopwatch) -> float:
    """Times one batch, with new string objects as a parser makes them: none has its hash yet."""
    records = [[name.decode() for name in record] for record in batch]
    started = stopwatch()
    for record in records:
        match(record)
    return stopwatch() - started


def _agree(matchers: dict[str, Matcher], records: Sequence[Sequence[str]]) -> None:
    for record in records:
        expected = matchers[BASELINE](record)
        for name, match in matchers.items():
            if match(record) != expected:
                raise Internal(f"{name!r} disagrees with {BASELINE!r} on {record}")
