"""The plan study's result: each profile to its goal, on one node and on two."""

from pydantic import BaseModel

from loadtest.report.findings import Findings, Row


class Standing(BaseModel):
    placement: str
    profile: str
    ratio: float
    goal: float | None


class PlansFindings(Findings):
    records: int
    goals: tuple[Standing, ...]

    def headline(self) -> tuple[Row, ...]:
        return tuple(
            Row(
                f"{each.profile}, {each.placement}: times as fast as the exporter's table with one plain query,"
                f" {self.records:,} records, the server's own times",
                f"{each.ratio:.1f}",
                "" if each.goal is None else f"at least {each.goal:g}",
                None if each.goal is None else each.ratio >= each.goal,
            )
            for each in self.goals
        )
