"""The searches: words of each frequency, alone and together, with many records to find and with none.

Only words: a filter by service is what the exporter's sorting key begins with, and no index on words has a say in it.
"""

from dataclasses import dataclass
from typing import Final

from schema.severity import Severity


@dataclass(frozen=True, slots=True)
class Question:
    """A question to all sides: any of `either` has all its words; without words it is about all records.

    `words` says how frequent they are, `rows` how many records there are to find: more than a page, fewer, or none.
    """

    words: str
    rows: str
    either: tuple[tuple[str, ...], ...]
    from_info: bool = False
    """Only records of severity INFO and above."""

    @property
    def query(self) -> str:
        """The question as query text."""
        words = " OR ".join(" ".join(together) for together in self.either)
        return " ".join(part for part in ("severity:>=info" if self.from_info else "", words) if part)

    def condition(self, word: str) -> str:
        """Returns the condition of a WHERE clause; `word` is a template of the condition on a word of the body.

        A severity can be asked of tables with our column names only.
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
"""One question for each frequency."""

KNOWN: Final = (
    Question("none", "many", (), from_info=True),
    Question("rare", "many", (("zmorning",),), from_info=True),
)
"""The questions of the known case."""
