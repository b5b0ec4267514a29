"""What is searched for: words of each frequency, alone and together, with many records to find and with none.

Only words: a filter by service is what the exporter's sorting key begins with, and no index on words has a say in it.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Case:
    """The same question to all sides: any of `either` has all its words.

    `words` says how frequent they are, `rows` how many records there are to find: more than a page, fewer, or none.
    """

    words: str
    rows: str
    either: tuple[tuple[str, ...], ...]

    @property
    def query(self) -> str:
        """As query text."""
        return " OR ".join(" ".join(together) for together in self.either)

    def condition(self, word: str) -> str:
        """As the condition of a WHERE clause; `word` is a template of the condition on a word of the body."""
        branches = [" AND ".join(word.format(each) for each in together) for together in self.either]
        return branches[0] if len(branches) == 1 else f"({' OR '.join(branches)})"


CASES: Final = (
    Case("frequent", "many", (("zfrequent",),)),
    Case("frequent", "none", (("zfrequent", "zabsent"),)),
    Case("rare", "many", (("zmorning",),)),
    Case("rare", "few", (("zscarce",),)),
    Case("absent", "many", (("zabsent",), ("zfrequent",))),
    Case("absent", "none", (("zabsent",),)),
    Case("combined", "many", (("zfrequent", "zplenty"),)),
    Case("combined", "none", (("zmorning", "zevening"),)),
)
