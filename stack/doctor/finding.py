"""One line of the doctor's report."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """`warn` works but will not for long, or not fast; `fail` needs somebody now."""

    ok = "ok"
    warn = "warn"
    fail = "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """Subject of a check, its result, and what to do about it; nothing to do where all is well."""

    about: str
    level: Level
    seen: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Bounds:
    """From which number on it is `warn` and `fail`, and what to do then."""

    warn: float
    fail: float
    advice: str


def graded(about: str, number: float, bounds: Bounds, seen: str) -> Finding:
    """By how large a number is."""
    if number < bounds.warn:
        return Finding(about, Level.ok, seen)
    return Finding(about, Level.fail if number >= bounds.fail else Level.warn, seen, bounds.advice)
