"""Words and lines of made-up logs, distributed as in real ones: few words are everywhere, most are rare.

Lines come from templates, as they do in programs; what changes between two lines of one template is numbers, ids and
addresses. The same seed gives the same text.
"""

import random
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Final

WORDS: Final = 20_000
TEMPLATES: Final = 3_000

_COMMON: Final = """
request response error timeout connection user session cache query retry failed completed started stopped
received sent from to for with after before in of the by on at not is was service database queue message worker
order payment account token key value id status code path host port client server upstream downstream latency
duration bytes rows records batch commit rollback lock thread pool limit quota expired invalid missing denied
accepted rejected created updated deleted loaded saved closed opened reset refused handshake certificate header
"""
_ONSETS: Final = (
    "b",
    "br",
    "c",
    "cl",
    "d",
    "dr",
    "f",
    "g",
    "gr",
    "h",
    "k",
    "l",
    "m",
    "n",
    "p",
    "pl",
    "r",
    "s",
    "st",
    "t",
)
_VOWELS: Final = ("a", "e", "i", "o", "u", "ai", "ou", "ea")
_CODAS: Final = ("", "", "n", "r", "s", "l", "t", "nd", "rm", "ck")

Slot = Callable[[random.Random], str]
_SLOTS: Final[tuple[Slot, ...]] = (
    lambda rng: str(rng.randrange(10_000)),
    lambda rng: f"{rng.random() * 900:.1f}ms",
    lambda rng: f"{rng.getrandbits(64):016x}",
    lambda rng: f"10.{rng.randrange(8)}.{rng.randrange(256)}.{rng.randrange(256)}",
    lambda rng: f"user-{int(rng.expovariate(1 / 5_000))}",
)


class Vocabulary:
    """All words and templates of a corpus; lines are drawn with a generator of the caller's."""

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        self.words: Sequence[str] = _words(rng)
        weights = list(accumulate(1 / rank for rank in range(1, WORDS + 1)))
        self._templates = [_template(rng, self.words, weights) for _ in range(TEMPLATES)]
        self._template_weights = list(accumulate(1 / rank for rank in range(1, TEMPLATES + 1)))

    def lines(self, rng: random.Random, count: int) -> list[str]:
        """That many lines of 40 to 140 characters."""
        templates = rng.choices(self._templates, cum_weights=self._template_weights, k=count)
        return [text % tuple(slot(rng) for slot in slots) for text, slots in templates]


def _words(rng: random.Random) -> list[str]:
    """Distinct words, the most frequent first."""
    words = dict.fromkeys(_COMMON.split())
    while len(words) < WORDS:
        syllables = rng.choices((1, 2, 3), (1, 6, 4))[0]
        word = "".join(rng.choice(_ONSETS) + rng.choice(_VOWELS) + rng.choice(_CODAS) for _ in range(syllables))
        words[word] = None
    return list(words)


def _template(rng: random.Random, words: Sequence[str], weights: list[float]) -> tuple[str, list[Slot]]:
    """A printf format of 6 to 16 words, and what fills its slots."""
    parts = rng.choices(words, cum_weights=weights, k=rng.randrange(6, 17))
    slots = rng.choices(_SLOTS, k=rng.randrange(1, 4))
    for _ in slots:
        parts.insert(rng.randrange(1, len(parts) + 1), f"{rng.choice(words[:60])}=%s")
    return " ".join(parts), slots
