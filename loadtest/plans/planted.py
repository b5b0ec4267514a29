"""The searched records: one tenant's day of realistic 4 KB bodies, with planted words whose frequency is known."""

from dataclasses import dataclass
from typing import Any, Final

from loadtest.corpus.rows import BATCH_ROWS, Corpus, batch


@dataclass(frozen=True, slots=True)
class Planted:
    """A word that every `every`-th record has, from record `first` on."""

    word: str
    every: int
    first: int = 0


PLANTED: Final = (
    Planted("zfrequent", 2),
    Planted("zplenty", 50),
    Planted("zmorning", 2_000),
    Planted("zevening", 2_000, 1_000),
    Planted("zscarce", 40_000, 77),
)
"""In 50 %, 2 %, 0.05 %, 0.05 % and 0.0025 % of all records; the two of 0.05 % never in the same one."""


def planted_batch(corpus: Corpus, index: int) -> dict[str, list[Any]]:
    """Makes the corpus's rows of one batch; planted words begin a body, which keeps its length."""
    columns = batch(corpus, index)
    numbers = range(index * BATCH_ROWS, index * BATCH_ROWS + len(columns["body"]))
    return {**columns, "body": [_plant(number, body) for number, body in zip(numbers, columns["body"], strict=True)]}


def _plant(number: int, body: str) -> str:
    words = "".join(f"{each.word} " for each in PLANTED if number % each.every == each.first)
    return words + body[: len(body) - len(words)]
