"""Redactions: expressions whose matches in bodies are replaced before anything is stored."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from logsieve_native import Redactor

EXPRESSION_CHARACTERS: Final = 512
"""Largest length of a redaction's regular expression, in characters."""

CARD: Final = "card"
"""Name of the redaction of payment card numbers. They are found by their digits and check digit, not by an
expression."""

BUILT_IN: Final[dict[str, str | None]] = {
    CARD: None,
    "email": r"[\w.%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+",
    "bearer": r"(?i)\bbearer +[\w.~+/-]{8,}=*",
    "jwt": r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+",
    "aws-key": r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|(?i:aws.{0,20}secret.{0,20}[=:][\s\"']*)[A-Za-z0-9/+]{40}",
    "private-key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?",
}
"""Built-in redactions by name. None means that native code finds the matches without an expression."""


@dataclass(frozen=True, slots=True)
class Redaction:
    """One redaction. `expression` is None if it is built in under this name."""

    name: str
    expression: str | None


def redactor_of(redactions: Iterable[Redaction]) -> Redactor | None:
    """Returns a redactor for all of these redactions; None if there are none.

    Raises ValueError for an invalid expression, and for an unknown name without an expression.
    """
    expressions, cards = [], False
    for each in redactions:
        expression = each.expression
        if expression is None and each.name == CARD:
            cards = True
            continue
        if expression is None:
            expression = BUILT_IN.get(each.name)
        if expression is None:
            raise ValueError(f"{each.name!r} is not built in")
        expressions.append(expression)
    return Redactor(expressions, cards) if expressions or cards else None
