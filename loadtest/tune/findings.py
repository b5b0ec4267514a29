"""The index study's result: the recommended index of each profile."""

from pydantic import BaseModel

from loadtest.report.findings import Findings, Row
from loadtest.tune.results import MOST_INDEX_SHARE


class Measured(BaseModel):
    name: str
    type: str | None
    seconds: float
    index_share: float


class TuneFindings(Findings):
    rows: int
    size: str
    candidates: tuple[Measured, ...]
    recommended: dict[str, str | None]

    def headline(self) -> tuple[Row, ...]:
        return tuple(self._row(kind, most) for kind, most in MOST_INDEX_SHARE.items())

    def _row(self, kind: str, most: float) -> Row:
        what = f"{kind}, {self.rows:,} records of {self.size}: bytes of the recommended index over raw bytes"
        goal = f"at most {most:.0%}"
        best = next((each for each in self.candidates if each.name == self.recommended.get(kind)), None)
        if best is None:
            return Row(what, "none is small enough", goal, False)
        without = next((each.seconds for each in self.candidates if each.type is None), None)
        faster = "" if without is None else f", {without / best.seconds:.0f} times as fast as no index"
        return Row(f"{what}, `{best.type}`{faster}", f"{best.index_share:.2%}", goal, best.index_share <= most)
