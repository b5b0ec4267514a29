"""What is asked: the searches by words, and those of the known case."""

from dataclasses import dataclass
from typing import Final

from loadtest.search.cases import CASES, Case
from schema.severity import Severity


@dataclass(frozen=True, slots=True)
class Question:
    """A case, for records of severity INFO and above only where `from_info`; a case without words is about all."""

    case: Case
    from_info: bool = False

    @property
    def query(self) -> str:
        """As query text."""
        return " ".join(part for part in ("severity:>=info" if self.from_info else "", self.case.query) if part)

    def condition(self, word: str) -> str:
        """As the condition of a WHERE clause; a severity is asked of tables with our column names only."""
        parts = [f"severity_number >= {int(Severity.info)}"] if self.from_info else []
        if self.case.either:
            parts.append(self.case.condition(word))
        return " AND ".join(parts)


WORDS: Final = tuple(Question(case) for case in CASES)
SMOKE_WORDS: Final = tuple(
    question for question in WORDS if question.case.rows == ("none" if question.case.words == "absent" else "many")
)
"""One for each frequency."""

KNOWN: Final = (
    Question(Case("none", "many", ()), from_info=True),
    Question(Case("rare", "many", (("zmorning",),)), from_info=True),
)
