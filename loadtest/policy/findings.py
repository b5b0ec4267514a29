"""The policy study's result: the chosen structure against looking at every rule."""

from pydantic import BaseModel

from loadtest.report.findings import Findings, Row


class Timing(BaseModel):
    structure: str
    rules: int
    miss_share: float
    repeat: bool
    microseconds: float
    speedup: float


class PolicyFindings(Findings):
    chosen: str
    baseline: str
    structures: tuple[Timing, ...]

    def headline(self) -> tuple[Row, ...]:
        chosen = [each for each in self.structures if each.structure == self.chosen and each.repeat]
        most = max((each.rules, each.miss_share) for each in chosen)
        return tuple(
            Row(
                f"{each.rules:,} rules, {each.miss_share:.0%} of names under none: times as fast as {self.baseline}"
                f" ({each.microseconds:.1f} µs a record)",
                f"{each.speedup:,.0f}",
            )
            for each in chosen
            if (each.rules, each.miss_share) == most
        )
