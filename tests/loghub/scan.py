"""A second, plain definition of the query language: predicates over one line.

It uses no code of the query language, so that the tests find mistakes in that code.
"""

import re
from collections.abc import Callable
from typing import TypeAlias

from tests.loghub.lines import Line

Predicate: TypeAlias = Callable[[Line], bool]


def words(text: str) -> list[str]:
    """Returns the words of a text in lower case. A word is a run of ASCII letters, digits and non-ASCII characters."""
    return re.findall(r"[0-9a-z\u0080-\U0010ffff]+", text.lower())


def word(wanted: str) -> Predicate:
    return lambda line: wanted.lower() in words(line.text)


def phrase(wanted: str) -> Predicate:
    sequence = words(wanted)

    def matches(line: Line) -> bool:
        present = words(line.text)
        return any(present[at : at + len(sequence)] == sequence for at in range(len(present)))

    return matches


def prefix(wanted: str) -> Predicate:
    return lambda line: any(present.startswith(wanted.lower()) for present in words(line.text))


def substring(wanted: str) -> Predicate:
    return lambda line: wanted.lower() in line.text.lower()


def regex(pattern: str) -> Predicate:
    return lambda line: re.search(pattern, line.text) is not None


def every(*predicates: Predicate) -> Predicate:
    return lambda line: all(predicate(line) for predicate in predicates)


def some(*predicates: Predicate) -> Predicate:
    return lambda line: any(predicate(line) for predicate in predicates)


def no(predicate: Predicate) -> Predicate:
    return lambda line: not predicate(line)
