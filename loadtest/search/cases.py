"""What is searched for: words of each frequency, alone and together, with many records to find and with none."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Terms:
    """How a table is asked: templates of the conditions on a word of the body and on the service."""

    word: str
    service: str


@dataclass(frozen=True, slots=True)
class Case:
    """The same question to all sides: any of `either` has all its words, and the record is of `service`.

    `words` says how frequent they are, `rows` whether there are many records or none to find.
    """

    words: str
    rows: str
    either: tuple[tuple[str, ...], ...]
    service: str | None = None

    @property
    def query(self) -> str:
        """As query text."""
        words = " OR ".join(" ".join(together) for together in self.either)
        return words if self.service is None else f"{words} service:{self.service}"

    def condition(self, terms: Terms) -> str:
        """As the condition of a WHERE clause."""
        branches = [" AND ".join(terms.word.format(word) for word in together) for together in self.either]
        words = branches[0] if len(branches) == 1 else f"({' OR '.join(branches)})"
        return words if self.service is None else f"{words} AND {terms.service.format(self.service)}"


CASES: Final = (
    Case("frequent", "many", (("zfrequent",),)),
    Case("frequent", "none", (("zfrequent",),), "nobody"),
    Case("rare", "many", (("zmorning",),)),
    Case("rare", "none", (("zscarce",),), "nobody"),
    Case("absent", "many", (("zabsent",), ("zfrequent",))),
    Case("absent", "none", (("zabsent",),)),
    Case("combined", "many", (("zfrequent", "zplenty"),)),
    Case("combined", "none", (("zmorning", "zevening"),)),
)
