"""What the timings say: per case and side, and how each profile stands to its goals."""

import statistics
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from backend.store.plans.plan import Plan
from loadtest.percentile import percentile
from loadtest.search.cases import CASES
from loadtest.search.measure import EXPORTER, Side, Timings
from schema.clickhouse.index_profiles import Profile

AUTO_OVER_BEST: Final = 1.3
"""Most that `auto` may take of what the best plan takes, geometric mean over all cases."""


@dataclass(frozen=True, slots=True)
class Goal:
    """At least so many times as fast as the exporter's table; every page but one in twenty within `p95_ms`."""

    ratio: float
    p95_ms: float


GOALS: Final[Mapping[Profile, Goal]] = {Profile.tokenbf: Goal(20, 300), Profile.text: Goal(50, 100)}


@dataclass(frozen=True, slots=True)
class Standing:
    """One profile under `auto`; ratios are of medians, geometric means over all cases."""

    profile: Profile
    ratio: float
    p95_ms: float
    auto_over_best: float

    @property
    def passed(self) -> bool:
        goal = GOALS[self.profile]
        return self.ratio >= goal.ratio and self.p95_ms <= goal.p95_ms and self.auto_over_best <= AUTO_OVER_BEST


def standing(timings: Timings, profile: Profile) -> Standing:
    """`p95_ms` is the worst of the cases: each is a kind of search that somebody makes all day."""

    def median(case_side: Side) -> list[float]:
        return [statistics.median(timings[case, case_side]) for case in CASES]

    auto, forced = Side(profile, Plan.auto), [plan for plan in Plan if plan is not Plan.auto]
    best = [min(each) for each in zip(*(median(Side(profile, plan)) for plan in forced), strict=True)]
    return Standing(
        profile,
        statistics.geometric_mean([a / b for a, b in zip(median(EXPORTER), median(auto), strict=True)]),
        max(percentile(timings[case, auto], 0.95) for case in CASES),
        statistics.geometric_mean([a / b for a, b in zip(median(auto), best, strict=True)]),
    )


def plain(timings: Timings, standings: list[Standing]) -> dict[str, Any]:
    """For JSON."""
    return {
        "passed": all(each.passed for each in standings),
        "profiles": [{**asdict(each), "goal": asdict(GOALS[each.profile])} for each in standings],
        "auto_over_best_goal": AUTO_OVER_BEST,
        "cases": [
            {
                "words": case.words,
                "rows": case.rows,
                "query": case.query,
                "side": "exporter" if side == EXPORTER else f"{side.profile}/{side.plan}",
                "p50_ms": round(statistics.median(times), 2),
                "p95_ms": round(percentile(times, 0.95), 2),
            }
            for (case, side), times in timings.items()
        ],
    }
