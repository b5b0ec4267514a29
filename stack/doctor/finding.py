"""One line of the doctor's report."""

from dataclasses import dataclass
from enum import StrEnum

from kit.settings import Settings


class Level(StrEnum):
    """Level of a finding. `warn`: it works, but slowly or not for long. `fail`: it needs action now."""

    ok = "ok"
    warn = "warn"
    fail = "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of one check: the subject, what was found, and advice. The advice is empty if nothing is wrong."""

    about: str
    level: Level
    seen: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Smallest numbers at which a finding is `warn` and `fail`, and the advice for both."""

    warn: float
    fail: float
    advice: str


def graded(about: str, number: float, bounds: Bounds, seen: str) -> Finding:
    """Returns the finding for a number, with the level that the bounds give it."""
    if number < bounds.warn:
        return Finding(about, Level.ok, seen)
    return Finding(about, Level.fail if number >= bounds.fail else Level.warn, seen, bounds.advice)


def of_replica(settings: Settings) -> str:
    """Returns the words that a finding about one replica of the store adds to its subject; empty if it is the only
    one."""
    return f" of replica {settings.loader_replica}" if settings.topology.replicas > 1 else ""
