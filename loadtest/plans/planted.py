"""Makes the searched records: one tenant's realistic 4 KB bodies over a day, with planted words of known frequency."""

from dataclasses import dataclass
from typing import Any, Final

from loadtest.corpus.rows import BATCH_ROWS, Corpus, batch


@dataclass(frozen=True, slots=True)
class Planted:
    """A word that the records number `first`, `first + every`, `first + 2 * every` and so on have."""

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
"""Words in 50 %, 2 %, 0.05 %, 0.05 % and 0.0025 % of all records. No record has both words of 0.05 %."""


def planted_batch(corpus: Corpus, index: int) -> dict[str, list[Any]]:
    """Returns the columns of one batch of the corpus. Bodies begin with their planted words and keep their length."""
    columns = batch(corpus, index)
    numbers = range(index * BATCH_ROWS, index * BATCH_ROWS + len(columns["body"]))
    return {**columns, "body": [_plant(number, body) for number, body in zip(numbers, columns["body"], strict=True)]}


def _plant(number: int, body: str) -> str:
    words = "".join(f"{each.word} " for each in PLANTED if number % each.every == each.first)
    return words + body[: len(body) - len(words)]
