"""One line of the doctor's report."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """Level of a finding. `warn`: it works, but slowly or not for long. `fail`: it needs action now."""

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
    """The numbers from which on a finding is `warn` and `fail`, and the advice."""

    warn: float
    fail: float
    advice: str


def graded(about: str, number: float, bounds: Bounds, seen: str) -> Finding:
    """Returns the finding of a number, with the level by its bounds."""
    if number < bounds.warn:
        return Finding(about, Level.ok, seen)
    return Finding(about, Level.fail if number >= bounds.fail else Level.warn, seen, bounds.advice)
