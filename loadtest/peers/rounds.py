"""Sends each question to all sides alternately, measures the times of the answers, and compares the answers."""

import random
import statistics
from collections import defaultdict
from collections.abc import Container, Sequence
from functools import partial
from typing import Final

from loadtest.bench import Bench
from loadtest.peers.corpus import PeerCorpus
from loadtest.peers.idle import used_seconds, wait_until_quiet
from loadtest.peers.questions import Answer, known_answer, read_questions
from loadtest.peers.ratios import SENT, Disagreement, Timing, disagreements
from loadtest.peers.side import Side

_MS: Final = 1_000.0


class QuestionRounds:
    """The study's questions, with the times and the last answers of all sides."""

    def __init__(self, bench: Bench, sides: Sequence[Side], corpus: PeerCorpus) -> None:
        self._clock = bench.clock
        self._say = bench.say
        self._order = random.Random(bench.seed)
        self._sides = sides
        self._questions = read_questions()
        self._milliseconds: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
        self._answers: dict[str, dict[str, Answer]] = {}
        for question in self._questions:
            known = known_answer(question, corpus)
            self._answers[question.name] = {} if known is None else {SENT: known}

    def run_round(self, *, timed: bool) -> None:
        """Sends each question once to each side. The order of the sides is random.

        If `timed`, each side gets its question while the others are idle, and the time from the request to the last
        byte of the answer is kept.
        """
        for question in self._questions:
            for side in self._order.sample(self._sides, len(self._sides)):
                if timed and not wait_until_quiet(partial(used_seconds, self._sides), self._clock):
                    self._say(f"{question.name}: {side.name} got a question while another side worked")
                started = self._clock.monotonic()
                answer = side.fetch(question)
                took = self._clock.monotonic() - started
                if timed:
                    self._milliseconds[question.name, side.name].append(_MS * took)
                self._answers[question.name][side.name] = side.read(question, answer)

    def timings(self) -> tuple[Timing, ...]:
        """Returns the median, the shortest and the longest time of each question on each side."""
        return tuple(
            Timing(
                question=question.name,
                kind=question.kind,
                side=side.name,
                median_ms=statistics.median(taken := self._milliseconds[question.name, side.name]),
                least_ms=min(taken),
                most_ms=max(taken),
            )
            for question in self._questions
            for side in self._sides
        )

    def disagreements(self, inexact: Container[str]) -> tuple[Disagreement, ...]:
        """Returns the questions for which the last answers of sides differ, without the sides in `inexact`."""
        return disagreements(self._answers, inexact)
