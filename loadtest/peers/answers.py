"""Compares the sides by their answers: differing answers, ratios of times, and questions that a peer answers faster."""

import statistics
from collections.abc import Container, Mapping, Sequence
from typing import Final

from loadtest.peers.questions import Answer, Kind
from loadtest.report.report import Part, Row, Table, at_least, at_most, none_of

OURS: Final = "Logsieve"
VICTORIA_LOGS: Final = "VictoriaLogs"
LOKI: Final = "Loki"
COLLECTOR: Final = "Collector + exporter"
SENT: Final = "what was sent"
"""Name under which answers that follow from the corpus are compared with those of the sides."""
EQUAL_MS: Final = 10.0
"""Milliseconds within which a median of Logsieve never counts as slower than a peer's."""
_GROUPED: Final = 1_000_000
"""Records of 4 KB from which counts by service have a goal."""
MANY: Final = 3_000_000
"""Records of 4 KB from which other goals hold than for fewer."""


class Timing(Part):
    """Times of one question on one side, in milliseconds from the client's request to the last byte of the answer."""

    question: str
    kind: Kind
    side: str
    median_ms: float
    least_ms: float
    most_ms: float
    after_pause_ms: float
    """Median of the answers directly before the timed ones, each after a pause of all sides."""


class Disagreement(Part):
    """A question to which sides gave different answers, and a description of each side's answer."""

    question: str
    answers: dict[str, str]


class Answers(Part):
    """Times of all sides' answers to the questions, and the questions on which sides disagree."""

    timings: tuple[Timing, ...]
    disagreements: tuple[Disagreement, ...] = ()

    def medians(self, side: str, *, after_pause: bool = False) -> dict[str, float]:
        """Returns a side's median times in milliseconds, by question."""
        timings = [each for each in self.timings if each.side == side]
        return {each.question: each.after_pause_ms if after_pause else each.median_ms for each in timings}

    def times_ours(self, side: str, kind: Kind, *, after_pause: bool = False) -> float:
        """Returns the ratio of a side's median time to Logsieve's, as the geometric mean over a kind's questions."""
        own, theirs = self.medians(OURS, after_pause=after_pause), self.medians(side, after_pause=after_pause)
        questions = [each.question for each in self.timings if each.side == side and each.kind is kind]
        return statistics.geometric_mean([theirs[question] / own[question] for question in questions])

    def slower(self) -> tuple[str, ...]:
        """Returns the questions that a peer answers faster than Logsieve and that take Logsieve more than EQUAL_MS."""
        best: dict[str, float] = {}
        for each in self.timings:
            if each.side != OURS:
                best[each.question] = min(each.median_ms, best.get(each.question, each.median_ms))
        own = self.medians(OURS)
        return tuple(question for question, fastest in best.items() if own[question] > max(fastest, EQUAL_MS))

    def rows(self, title: str, records: int) -> list[Row]:
        """Returns the rows that compare the answers with their goals."""
        times, sides = self.medians(OURS), {each.side for each in self.timings}
        rows = [
            none_of(f"{title}: questions on which sides disagree", len(self.disagreements)),
            at_most(f"{title}: an absent word, from the client", times["absent word"], 8, ".1f", " ms"),
        ]
        if records >= _GROUPED:
            rows.append(at_most(f"{title}: errors by service", times["errors by service"], 100, ".1f", " ms"))
        if sides != {OURS}:
            rows.append(none_of(f"{title}: questions that a peer answers faster", len(self.slower()), firm=False))
        if VICTORIA_LOGS in sides:
            goals = {Kind.page: 4, Kind.count: 30} if records >= MANY else {Kind.page: 3, Kind.count: 15}
            for kind, goal in goals.items():
                ratio = self.times_ours(VICTORIA_LOGS, kind)
                rows.append(at_least(f"{title}: {kind.value}s, times as fast as VictoriaLogs", ratio, goal))
        return rows

    def answer_tables(self, sides: Sequence[str], suffix: str) -> list[Table]:
        """Returns the tables of times and of ratios of times. The shortest median of a question is bold."""
        times = []
        for question in dict.fromkeys(each.question for each in self.timings):
            given = {each.side: each for each in self.timings if each.question == question}
            fastest = min(each.median_ms for each in given.values())
            times.append((question, *(_spread(given[side], fastest) for side in sides)))
        paused = {side: self.medians(side, after_pause=True) for side in sides}
        rows = tuple((question, *(f"{paused[side][question]:,.1f}" for side in sides)) for question, *_ in times)
        ratios = tuple(
            (name, *(f"{self.times_ours(side, kind, after_pause=after_pause):.2f}" for side in sides))
            for kind in Kind
            if any(each.kind is kind for each in self.timings)
            for name, after_pause in ((f"{kind.value}s", False), (f"{kind.value}s, after a pause", True))
        )
        head = ("", *sides)
        return [
            Table(f"Milliseconds of an answer: median (least to most), the fastest bold{suffix}", head, tuple(times)),
            Table(f"Milliseconds of the answers before those, after a pause: median{suffix}", head, rows),
            Table(f"Times as long as Logsieve, geometric mean{suffix}", head, ratios),
        ]


def disagreements(
    answers: Mapping[str, Mapping[str, Answer]], inexact: Container[str] = ()
) -> tuple[Disagreement, ...]:
    """Returns the questions on which sides disagree. `answers` has the answer by question and side.

    Sides in `inexact` are not compared. They lost or doubled records, so that their answers cannot be right.
    """
    found = []
    for question, given in answers.items():
        compared = {side: answer for side, answer in given.items() if side not in inexact}
        if len(set(compared.values())) > 1:
            described = {side: _described(answer) for side, answer in compared.items()}
            found.append(Disagreement(question=question, answers=described))
    return tuple(found)


def _described(answer: Answer) -> str:
    ends = f", {answer[0]} to {answer[-1]}" if answer else ""
    return f"{len(answer)} values, sum {sum(answer)}{ends}"


def _spread(timing: Timing, fastest: float) -> str:
    median = f"{timing.median_ms:,.1f}"
    shown = f"**{median}**" if timing.median_ms == fastest else median
    return f"{shown} ({timing.least_ms:,.1f} to {timing.most_ms:,.1f})"
