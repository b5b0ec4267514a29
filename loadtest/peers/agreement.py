"""Compares the answers of all sides, which must be equal for each question."""

from collections.abc import Container, Mapping

from loadtest.peers.questions import Answer
from loadtest.report.report import Part

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
