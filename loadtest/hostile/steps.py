"""What the study has found out so far, step by step: each is kept in the journal as soon as it is known."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from loadtest.hostile.attack import Attack
from loadtest.hostile.findings import Beside
from loadtest.hostile.phase import Felts
from loadtest.hostile.profile import Profile
from loadtest.journal import Journal


class Step(BaseModel):
    """A stretch of the victims alone, or one attack; and what was wrong at its end that was not wrong before."""

    model_config = ConfigDict(frozen=True, ser_json_inf_nan="constants")

    alone: dict[str, Felts] | None = None
    """By victim; None for an attack."""
    beside: Beside | None = None
    lost: int = 0
    doubled: int = 0
    foreign: int = 0
    dead_letters: dict[str, int] = {}
    """Messages that became dead letters meanwhile, by code."""


def open_journal(
    folder: Path, profile: Profile, attacks: Sequence[Attack], seed: int, commit: str | None
) -> Journal[Step]:
    """Returns the journal of exactly this study of exactly this code, with the steps of a run that was killed."""
    study = repr((commit, seed, profile, [attack.name for attack in attacks]))
    return Journal(folder / f"{hashlib.sha256(study.encode()).hexdigest()[:12]}.jsonl", study, Step)


def stretches(steps: Sequence[Step]) -> list[dict[str, Felts]]:
    """What victims felt alone, in the order of time."""
    return [step.alone for step in steps if step.alone is not None]


def together(felts: Sequence[dict[str, Felts]]) -> dict[str, Felts]:
    """Several stretches as one, by victim. Raises ValueError for no stretch."""
    first, *others = felts
    for other in others:
        first = {name: felt.and_later(other[name]) for name, felt in first.items()}
    return first


def attacked(steps: Sequence[Step]) -> tuple[Beside, ...]:
    """The attacks that were made."""
    return tuple(step.beside for step in steps if step.beside is not None)


def complete(steps: Sequence[Step], attacks: Sequence[Attack]) -> bool:
    """Returns whether all attacks were made, and victims were watched alone behind the last one."""
    return {each.name for each in attacked(steps)} == {each.name for each in attacks} and steps[-1].alone is not None


def dead_letters(steps: Sequence[Step]) -> dict[str, int]:
    """All of them, by code."""
    return dict(sum((Counter(step.dead_letters) for step in steps), Counter()))
