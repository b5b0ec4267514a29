"""What is searched for: words of each frequency, alone and together, with many records to find and with none."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Case:
    """The same question to both sides: as query text, and as the condition on the exporter's table."""

    words: str
    rows: str
    query: str
    condition: str


def _has(word: str) -> str:
    return f"hasToken(Body, '{word}')"


CASES: Final = (
    Case("frequent", "many", "zfrequent", _has("zfrequent")),
    Case("frequent", "none", "zfrequent service:nobody", f"{_has('zfrequent')} AND ServiceName = 'nobody'"),
    Case("rare", "many", "zmorning", _has("zmorning")),
    Case("rare", "none", "zscarce service:nobody", f"{_has('zscarce')} AND ServiceName = 'nobody'"),
    Case("absent", "many", "zabsent OR zfrequent", f"({_has('zabsent')} OR {_has('zfrequent')})"),
    Case("absent", "none", "zabsent", _has("zabsent")),
    Case("combined", "many", "zfrequent zplenty", f"{_has('zfrequent')} AND {_has('zplenty')}"),
    Case("combined", "none", "zmorning zevening", f"{_has('zmorning')} AND {_has('zevening')}"),
)
