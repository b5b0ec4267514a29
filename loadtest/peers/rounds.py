"""Sends each question to all sides alternately, measures the times of the answers, and compares the answers."""

import random
import statistics
from collections import defaultdict
from collections.abc import Container, Sequence
from typing import Final

from loadtest.bench import Bench
from loadtest.peers.answers import SENT, Answers, Timing, disagreements
from loadtest.peers.idle import wait_until_quiet
from loadtest.peers.questions import Answer, Question, known_answer, read_questions
from loadtest.peers.side import Side
from loadtest.process_stat import cpu_seconds

_MS: Final = 1_000.0


def ask(bench: Bench, sides: Sequence[Side], rounds: int, inexact: Container[str]) -> Answers:
    """Sends each question to each side once to warm up, and then twice in each of `rounds` rounds. All rounds of a
    question follow one another, each with the sides in random order.

    The time from a request to the last byte of its answer counts. Before a side's first request of a round, all sides
    are idle. The second request follows the first answer immediately, and its time is the one that is compared, because
    other users of the machine empty the processor's caches during a pause. The last answers are compared, except those
    of the sides `inexact`.
    """
    order, clock, questions = random.Random(bench.seed), bench.clock, read_questions()
    taken: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    taken_after_pause: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    answers: dict[str, dict[str, Answer]] = {}

    def used_seconds() -> float:
        return sum(sum(cpu_seconds(side.pids).values()) for side in sides)

    def timed(side: Side, question: Question) -> tuple[float, bytes]:
        started = clock.monotonic()
        answer = side.fetch(question)
        return _MS * (clock.monotonic() - started), answer

    for position, question in enumerate(questions, start=1):
        bench.say(f"question {position} of {len(questions)}: {question.name}")
        known = known_answer(question, sides[0].corpus)
        answers[question.name] = {} if known is None else {SENT: known}
        for side in sides:
            side.fetch(question)
        for _ in range(rounds):
            for side in order.sample(sides, len(sides)):
                if not wait_until_quiet(used_seconds, clock):
                    bench.say(f"{question.name}: {side.name} got a question while another side worked")
                milliseconds, _ = timed(side, question)
                taken_after_pause[question.name, side.name].append(milliseconds)
                milliseconds, answer = timed(side, question)
                taken[question.name, side.name].append(milliseconds)
                answers[question.name][side.name] = side.read(question, answer)
    timings = tuple(
        Timing(
            question=question.name,
            kind=question.kind,
            side=side.name,
            median_ms=statistics.median(taken[question.name, side.name]),
            least_ms=min(taken[question.name, side.name]),
            most_ms=max(taken[question.name, side.name]),
            after_pause_ms=statistics.median(taken_after_pause[question.name, side.name]),
        )
        for question in questions
        for side in sides
    )
    return Answers(timings=timings, disagreements=disagreements(answers, inexact))
