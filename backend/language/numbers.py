"""Defines the syntax of numbers in comparisons, which SQL and predicate share."""

import re

NUMBER_PATTERN = "^-?[0-9]+(?:[.][0-9]+)?(?:[eE][+-]?[0-9]+)?$"
"""Syntax of a number.

RE2 and Python differ in `$` only, which `is_number` avoids. Needs no escape inside a SQL string.
"""

_NUMBER = re.compile(NUMBER_PATTERN.strip("^$").replace("]+", "]++"))
"""NUMBER_PATTERN with possessive repetitions, which match the same texts, because no digit may follow digits. Without
them, `fullmatch` takes seconds for millions of digits before a letter."""


def is_number(text: str) -> bool:
    """Returns true when the whole text is a number: `7`, `-1.5`, `2e+10`; not `+7`, `.5`, `0x1f`, `inf` or ` 7`.

    Numbers compare as IEEE doubles, so whole numbers beyond 2**53 compare as the nearest double.
    """
    return _NUMBER.fullmatch(text) is not None


def number_in(text: str) -> float | None:
    """Returns the number that the whole text is, or None if it is none.

    A float is the nearest double, like in ClickHouse under the SETTINGS of backend/store/compile.
    """
    return float(text) if _NUMBER.fullmatch(text) is not None else None
