"""Compares the sides: differing answers, ratios of times, and questions that a peer answers faster."""

import statistics
from collections.abc import Container, Mapping, Sequence

from loadtest.peers.questions import Answer, Kind
from loadtest.report.report import Part

OURS = "Logsieve"
EQUAL_MS = 10.0
"""Milliseconds within which a median of Logsieve never counts as slower than a peer's."""


class Timing(Part):
    """Times of one question on one side, in milliseconds from the client's request to the last byte of the answer."""

    question: str
    kind: Kind
    side: str
    median_ms: float
    least_ms: float
    most_ms: float


def times_ours(timings: Sequence[Timing], side: str, kind: Kind) -> float:
    """Returns the ratio of a side's median time to Logsieve's, as the geometric mean over the questions of a kind."""
    own = medians(timings, OURS)
    theirs = medians(timings, side)
    questions = [each.question for each in timings if each.side == side and each.kind is kind]
    return statistics.geometric_mean([theirs[question] / own[question] for question in questions])


def slower_than_a_peer(timings: Sequence[Timing]) -> tuple[str, ...]:
    """Returns the questions that a peer answers faster than Logsieve. Skips those that Logsieve answers in EQUAL_MS."""
    own = medians(timings, OURS)
    best = {
        question: min(each.median_ms for each in timings if each.question == question and each.side != OURS)
        for question in own
        if any(each.question == question and each.side != OURS for each in timings)
    }
    return tuple(question for question, fastest in best.items() if own[question] > max(fastest, EQUAL_MS))


def medians(timings: Sequence[Timing], side: str) -> dict[str, float]:
    """Returns a side's median times in milliseconds, by question."""
    return {each.question: each.median_ms for each in timings if each.side == side}


SENT = "what was sent"
"""Name under which answers that follow from the corpus are compared with those of the sides."""


class Disagreement(Part):
    """A question to which sides gave different answers, and a description of each side's answer."""

    question: str
    answers: dict[str, str]

    def in_words(self) -> str:
        return "; ".join(f"{side}: {answer}" for side, answer in self.answers.items())


def disagreements(
    answers: Mapping[str, Mapping[str, Answer]], inexact: Container[str] = ()
) -> tuple[Disagreement, ...]:
    """Returns the questions on which sides disagree. `answers` has the answer by question and side.

    Sides in `inexact` are not compared. They lost or doubled records, so that their answers cannot be right.
    """
    return tuple(
        Disagreement(question=question, answers={side: _described(answer) for side, answer in compared.items()})
        for question, given in answers.items()
        if len(set((compared := {side: each for side, each in given.items() if side not in inexact}).values())) > 1
    )


def _described(answer: Answer) -> str:
    ends = f", {answer[0]} to {answer[-1]}" if answer else ""
    return f"{len(answer)} values, sum {sum(answer)}{ends}"
