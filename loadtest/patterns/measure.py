"""Measures contenders: grouping accuracy over labelled messages, and time over generated ones."""

import random
import time
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Final

from backend.patterns.statements import BODY_CHARACTERS
from kit.clock import Clock
from loadtest.bench import Say
from loadtest.corpus.text import shipped_texts
from loadtest.patterns.contenders import CONTENDERS, Group
from loadtest.patterns.labels import Labelled, grouping_accuracy
from loadtest.patterns.study import LONG, SHORT, Accuracy, Timing

SIZES: Final[Mapping[str, int | None]] = {SHORT: None, LONG: BODY_CHARACTERS}
"""Characters of each kind of message; None for lines, which differ in length."""


def measure_accuracy(systems: Sequence[Labelled], say: Say) -> tuple[Accuracy, ...]:
    """Returns the grouping accuracy of each contender for each system. Systems are grouped separately."""
    found = []
    for each in systems:
        say(f"grouping the messages of {each.system}")
        shares = {name: grouping_accuracy(each.events, group(each.messages)) for name, group in CONTENDERS.items()}
        found.append(Accuracy(system=each.system, messages=len(each.messages), shares=shares))
    return tuple(found)


def measure_times(messages: int, rounds: int, seed: int, clock: Clock, say: Say) -> tuple[Timing, ...]:
    """Times each contender with each kind of message. Contenders take turns in each round."""
    timings = []
    for kind, characters in SIZES.items():
        texts = generated(messages, characters, seed)
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in CONTENDERS}
        for number in range(rounds):
            say(f"grouping {messages:,} {kind}, round {number + 1} of {rounds}")
            for name, group in CONTENDERS.items():
                taken[name].append(_timed(group, texts, clock))
        size = sum(len(text.encode()) for text in texts)
        timings += [
            Timing(
                contender=name,
                kind=kind,
                messages=messages,
                bytes=size,
                seconds=median(elapsed for elapsed, _ in each),
                slowest_seconds=max(elapsed for elapsed, _ in each),
                cpu_seconds=median(cpu for _, cpu in each),
            )
            for name, each in taken.items()
        ]
    return tuple(timings)


def generated(messages: int, characters: int | None, seed: int) -> list[str]:
    """Returns messages of all collections of the corpus in turn: lines, or texts of `characters` characters."""
    rng = random.Random(seed)
    sources = [texts for _, texts in shipped_texts(seed)]
    return [
        source.lines(rng, 1)[0] if characters is None else source.message(rng, characters)
        for source in (sources[number % len(sources)] for number in range(messages))
    ]


def _timed(group: Group, texts: Sequence[str], clock: Clock) -> tuple[float, float]:
    """Returns elapsed seconds and CPU seconds of this thread."""
    started, cpu = clock.monotonic(), time.thread_time()
    group(texts)
    return clock.monotonic() - started, time.thread_time() - cpu
