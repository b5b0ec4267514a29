"""The part-count study's result: how planning grows with the number of parts."""

from typing import Final

from pydantic import BaseModel

from loadtest.parts.layout import Layout
from loadtest.report.findings import Findings, Row

_JUDGED: Final = Layout.lanes.name


class Level(BaseModel):
    layout: str
    pairs: int


class PartsFindings(Findings):
    goal: float
    ratios: dict[str, float | None]
    levels: tuple[Level, ...]

    def headline(self) -> tuple[Row, ...]:
        found = []
        for name, ratio in self.ratios.items():
            pairs = [each.pairs for each in self.levels if each.layout == name]
            if ratio is None:
                continue
            judged = name == _JUDGED
            found.append(
                Row(
                    f"{Layout[name].value}: CPU of planning at {max(pairs):,} (tenant, day) pairs over {min(pairs):,}",
                    f"{ratio:.2f}",
                    f"at most {self.goal:g}" if judged else "",
                    ratio <= self.goal if judged else None,
                )
            )
        return tuple(found)
