"""Measures contenders: grouping accuracy over labelled messages, and time over generated ones."""

import random
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from statistics import median
from typing import Final

from drain3 import TemplateMiner
from drain3.masking import MaskingInstruction
from drain3.template_miner_config import TemplateMinerConfig

from backend.patterns.groups import whole_words
from kit.clock import Clock
from loadtest.bench import Say
from loadtest.corpus.text import shipped_texts
from loadtest.patterns.labels import Labelled, grouping_accuracy
from loadtest.patterns.study import LOGSIEVE, LONG, SHORT, Accuracy, Timing
from logsieve_native import group_patterns

SIZES: Final[Mapping[str, int | None]] = {SHORT: None, LONG: 1_024}
"""Characters of each kind of message; None for lines, which differ in length."""

_NUMBERS: Final = r"0x[0-9a-fA-F]+|\b(?=[0-9a-f-]*[0-9])[0-9a-f-]{8,}\b|-?[0-9]+(?:[._-][0-9]+)*"
"""Regular expression of numbers and hexadecimal ids, which the second configuration of drain3 replaces by `<*>`."""
_SIMILAR: Final = 0.5
"""Smallest share of equal tokens in the second configuration, as in native/src/patterns.rs. drain3's default is 0.4."""


def _logsieve(messages: Sequence[str]) -> Sequence[Hashable]:
    _templates, groups = group_patterns([whole_words(message) for message in messages])
    return groups


def _drain3(messages: Sequence[str], *, is_masked: bool) -> Sequence[Hashable]:
    config = TemplateMinerConfig()
    if is_masked:
        config.masking_instructions = [MaskingInstruction(_NUMBERS, "*")]
        config.mask_prefix, config.mask_suffix = "<", ">"
        config.drain_sim_th = _SIMILAR
    miner = TemplateMiner(config=config)
    # A group keeps its number when its template becomes wider.
    return [miner.add_log_message(message)["cluster_id"] for message in messages]


CONTENDERS: Final[Mapping[str, Callable[[Sequence[str]], Sequence[Hashable]]]] = {
    LOGSIEVE: _logsieve,
    "drain3": partial(_drain3, is_masked=False),
    "drain3, numbers masked": partial(_drain3, is_masked=True),
}
"""Functions that group messages in their order: Logsieve's, and those of drain3 in two configurations.

Each returns a label of the group for each message.
"""


def measure_accuracy(systems: Sequence[Labelled], say: Say) -> tuple[Accuracy, ...]:
    """Returns the grouping accuracy of each contender for each system. Systems are grouped separately."""
    found = []
    for each in systems:
        say(f"grouping the messages of {each.system}")
        shares = {name: grouping_accuracy(each.events, group(each.messages)) for name, group in CONTENDERS.items()}
        found.append(Accuracy(system=each.system, shares=shares))
    return tuple(found)


def measure_times(messages: int, rounds: int, seed: int, clock: Clock, say: Say) -> tuple[Timing, ...]:
    """Times each contender with each kind of message. Contenders take turns in each round."""
    timings = []
    for kind, characters in SIZES.items():
        texts = generated(messages, characters, seed)
        # Elapsed seconds, and CPU seconds of this thread.
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in CONTENDERS}
        for number in range(rounds):
            say(f"grouping {messages:,} {kind}, round {number + 1} of {rounds}")
            for name, group in CONTENDERS.items():
                started, cpu = clock.monotonic(), time.thread_time()
                group(texts)
                taken[name].append((clock.monotonic() - started, time.thread_time() - cpu))
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
