"""Defines the syntax of numbers in comparisons, which SQL and predicate share."""

import re

NUMBER_PATTERN = "^-?[0-9]+(?:[.][0-9]+)?(?:[eE][+-]?[0-9]+)?$"
"""Syntax of a number.

RE2 and Python differ in `$` only, which `is_number` avoids. Needs no escape inside a SQL string.
"""

_NUMBER = re.compile(NUMBER_PATTERN.strip("^$"))


def is_number(text: str) -> bool:
    """Returns true when the whole text is a number: `7`, `-1.5`, `2e+10`; not `+7`, `.5`, `0x1f`, `inf` or ` 7`.

    Numbers compare as IEEE doubles, so whole numbers beyond 2**53 compare as the nearest double.
    """
    return _NUMBER.fullmatch(text) is not None
