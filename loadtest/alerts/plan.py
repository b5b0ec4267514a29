"""Plans the alert rules of a run, the times at which their groups get records, and the kills, all from one seed."""

import random
from dataclasses import dataclass
from typing import Final, NamedTuple

GROUPS: Final = 5
"""Number of groups of each rule."""
MAX_KILL_SECONDS: Final = 2.0
"""Longest time in seconds from the first claim of a worker to its kill."""
_SPREAD_SECONDS: Final = 20.0
"""Seconds for each kill in which groups get their first records. The time until the next kill is mostly longer."""
_MINUTE_SECONDS: Final = 60.0
_FIRST_SECONDS: Final = 30.0
"""Mean time in seconds until a rule is due for the first time."""


class Firing(NamedTuple):
    """A group of a rule that must fire once: names of the rule and of the group."""

    rule: str
    group: str


@dataclass(frozen=True, slots=True)
class Plan:
    rules: tuple[str, ...]
    triggers: tuple[tuple[float, Firing], ...]
    """For each group of each rule, the seconds after the start at which its first record is sent, in their order.

    From then on, the group's condition holds.
    """
    kills: tuple[float, ...]
    """For each kill, seconds after the worker's first claim."""


def plan(seed: int, rules: int, minutes: float, kills: int) -> Plan:
    """Returns the plan of a run with `minutes` quiet minutes and `kills` kills after them."""
    rng = random.Random(seed)
    names = tuple(f"rule-{number}" for number in range(rules))
    seconds = minutes * _MINUTE_SECONDS - _FIRST_SECONDS + kills * _SPREAD_SECONDS
    triggers = sorted(
        (rng.uniform(0.0, seconds), Firing(name, f"group-{number}")) for name in names for number in range(GROUPS)
    )
    return Plan(names, tuple(triggers), tuple(rng.uniform(0.0, MAX_KILL_SECONDS) for _ in range(kills)))
