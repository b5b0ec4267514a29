"""The plan study's report: each profile to its goal, the known case step by step, and what each page cost."""

from loadtest.report.report import Part, Report, Row


class Standing(Part):
    """Ours as it is shipped against the exporter's table; geometric mean over the searches, of medians."""

    placement: str
    profile: str
    ratio: float
    goal: float | None
    """None on two shards."""

    @property
    def met(self) -> bool | None:
        return None if self.goal is None else self.ratio >= self.goal


class KnownStep(Part):
    """A step of the known case. `times_faster` than the first step of the same question."""

    query: str
    side: str
    ms: float
    times_faster: float
    memory: int
    bytes_read: int


class PageCost(Part):
    """The cost of one question on one side, medians of the rounds: seconds, bytes, rows, granules and statements."""

    words: str
    rows: str
    query: str
    placement: str
    layout: str
    way: str
    engine: str
    seconds: float
    memory: int
    rows_read: int
    bytes_read: int
    granules: int
    statements: int

    @property
    def side(self) -> str:
        return f"{self.layout}, {self.way} ({self.engine})"


class PlansReport(Report):
    records: int
    rounds: int = 0
    goals: tuple[Standing, ...]
    known_case: tuple[KnownStep, ...] = ()
    pages: tuple[PageCost, ...] = ()

    def headline(self) -> tuple[Row, ...]:
        return tuple(
            Row(
                f"{each.profile}, {each.placement}: times as fast as the exporter's table with one plain query,"
                f" {self.records:,} records, the server's own times",
                f"{each.ratio:.1f}",
                "" if each.goal is None else f"at least {each.goal:g}",
                each.met,
            )
            for each in self.goals
        )
