"""The index study's report: every candidate's cost, the front, and the recommended index of each profile."""

from typing import Final

from pydantic import Field, computed_field

from loadtest.report.report import Part, Report, Row

MOST_INDEX_SHARE: Final = {"tokenbf": 0.04, "text": 0.11}
"""Index bytes over raw bytes that a default may have, by kind (docs/benchmarks/tune.md)."""


class CandidateResult(Part):
    """A candidate over all its rounds: medians, `seconds` the geometric mean over the searches of their medians."""

    name: str
    kind: str = ""
    type: str | None
    """Definition of the index in SQL; None for no index."""
    table_granularity: int = 0
    """Rows of a granule of the table."""
    granularity: int = 1
    """Number of granules of the table that one entry of the index covers."""
    rounds: int = 0
    seconds: float
    by_case: dict[str, float] = Field(default_factory=dict)
    index_share: float
    """Bytes of the index over raw bytes of the bodies."""
    build_seconds: float = 0.0
    insert_cpu: float = 0.0
    merge_cpu: float = 0.0


class TuneReport(Report):
    rows: int
    size: str
    tenants: int = 0
    rounds: int = 0
    write_rows: int = 0
    """Rows that were inserted and merged to measure the cost of writing."""
    candidates: tuple[CandidateResult, ...]
    front: tuple[str, ...] = ()
    """Candidates that no other beats in both search time and index size."""
    recommended: dict[str, str | None]
    errors: tuple[str, ...] = ()
    tokens: dict[int, float] = Field(default_factory=dict)
    """Distinct words in a granule, by its rows."""

    def headline(self) -> tuple[Row, ...]:
        return tuple(self._row(kind, most) for kind, most in MOST_INDEX_SHARE.items())

    @computed_field  # type: ignore[prop-decorator]
    @property
    def passed(self) -> bool:
        return not self.errors and super().passed

    def best(self, kind: str) -> CandidateResult | None:
        """Returns the recommended candidate of a kind; None where none is small enough."""
        return next((each for each in self.candidates if each.name == self.recommended.get(kind)), None)

    def without_index(self) -> CandidateResult | None:
        """Returns the first candidate that has no index."""
        return next((each for each in self.candidates if each.type is None), None)

    def _row(self, kind: str, most: float) -> Row:
        what = f"{kind}, {self.rows:,} records of {self.size}: bytes of the recommended index over raw bytes"
        goal = f"at most {most:.0%}"
        best, without = self.best(kind), self.without_index()
        if best is None:
            return Row(what, "none is small enough", goal, False)
        faster = "" if without is None else f", {without.seconds / best.seconds:.0f} times as fast as no index"
        return Row(f"{what}, `{best.type}`{faster}", f"{best.index_share:.2%}", goal, best.index_share <= most)
