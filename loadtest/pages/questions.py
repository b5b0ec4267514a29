"""The searched words and records: words of known frequency planted into one tenant's realistic 4 KB bodies over a day.

No search filters by service, because the exporter's sorting key begins with the service. Such a search would compare
sorting keys, not indexes on words.
"""

from dataclasses import dataclass
from typing import Any, Final

from loadtest.corpus.rows import BATCH_ROWS, Corpus, batch
from schema.severity import Severity


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


@dataclass(frozen=True, slots=True)
class Question:
    """A search of all sides. A record matches if it has all words of an entry of `either`, or if `either` is empty.

    `words` names the frequency of the words. `rows` names the number of matching records: `many` is more than a page.
    """

    words: str
    rows: str
    either: tuple[tuple[str, ...], ...]
    from_info: bool = False
    """True if only records of severity INFO and above match."""

    @property
    def query(self) -> str:
        """The search in Logsieve's query language."""
        words = " OR ".join(" ".join(together) for together in self.either)
        return " ".join(part for part in ("severity:>=info" if self.from_info else "", words) if part)

    def condition(self, word: str) -> str:
        """Returns the search as the condition of a WHERE clause. `word` is `Layout.word`.

        A condition on the severity works only for tables with Logsieve's column names.
        """
        branches = [" AND ".join(word.format(each) for each in together) for together in self.either]
        parts = [f"severity_number >= {int(Severity.info)}"] if self.from_info else []
        if branches:
            parts.append(branches[0] if len(branches) == 1 else f"({' OR '.join(branches)})")
        return " AND ".join(parts)


WORDS: Final = (
    Question("frequent", "many", (("zfrequent",),)),
    Question("frequent", "none", (("zfrequent", "zabsent"),)),
    Question("rare", "many", (("zmorning",),)),
    Question("rare", "few", (("zscarce",),)),
    Question("absent", "many", (("zabsent",), ("zfrequent",))),
    Question("absent", "none", (("zabsent",),)),
    Question("combined", "many", (("zfrequent", "zplenty"),)),
    Question("combined", "none", (("zmorning", "zevening"),)),
)
SMOKE_WORDS: Final = tuple(each for each in WORDS if each.rows == ("none" if each.words == "absent" else "many"))
"""One search for each frequency, for a smoke run."""

KNOWN: Final = (
    Question("none", "many", (), from_info=True),
    Question("rare", "many", (("zmorning",),), from_info=True),
)
"""The searches of the known case."""
