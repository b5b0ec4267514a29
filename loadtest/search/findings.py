"""The search study's result: each profile to its goals, and the medians of what is shipped beside the exporter's."""

import statistics
from typing import Final

from pydantic import BaseModel, field_validator

from loadtest.report.findings import Findings, Row

EXPORTER: Final = "exporter"
_SHIPPED: Final = "/auto"


class Goal(BaseModel):
    ratio: float
    p95_ms: float


class Standing(BaseModel):
    profile: str
    ratio: float
    p95_ms: float
    auto_over_best: float
    goal: Goal


class Case(BaseModel):
    words: str
    query: str
    side: str
    p50_ms: float


class SearchFindings(Findings):
    records: int
    auto_over_best_goal: float
    profiles: tuple[Standing, ...]
    cases: tuple[Case, ...]

    @field_validator("cases")
    @classmethod
    def _shipped_only(cls, cases: tuple[Case, ...]) -> tuple[Case, ...]:
        """The page has the forced plans."""
        return tuple(each for each in cases if each.side == EXPORTER or each.side.endswith(_SHIPPED))

    def headline(self) -> tuple[Row, ...]:
        found = []
        for each in self.profiles:
            goal = each.goal
            found += [
                Row(
                    f"{each.profile}: times as fast as a plain query of the exporter's table, {self.records:,} records",
                    f"{each.ratio:.1f}",
                    f"at least {goal.ratio:g}",
                    each.ratio >= goal.ratio,
                ),
                Row(
                    f"{each.profile}: 95th percentile of the slowest kind of page",
                    f"{each.p95_ms:.0f} ms",
                    f"at most {goal.p95_ms:g} ms",
                    each.p95_ms <= goal.p95_ms,
                ),
                Row(
                    f"{each.profile}: the chosen plan over the best one",
                    f"{each.auto_over_best:.2f}",
                    f"at most {self.auto_over_best_goal:g}",
                    each.auto_over_best <= self.auto_over_best_goal,
                ),
            ]
        return tuple(found)

    def by_frequency(self) -> dict[str, dict[str, float]]:
        """Milliseconds by side and by how frequent the words are: geometric means over the cases, of medians."""
        sides = dict.fromkeys(each.side for each in self.cases)
        frequencies = dict.fromkeys(each.words for each in self.cases)
        return {
            side.removesuffix(_SHIPPED): {
                words: statistics.geometric_mean(
                    [each.p50_ms for each in self.cases if each.side == side and each.words == words]
                )
                for words in frequencies
            }
            for side in sorted(sides)
        }
