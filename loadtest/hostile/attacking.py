"""Runs attacks in a separate process, so that they do not delay the interpreter that times the victims.

The process has a lower priority, because a real attacker would use the processors of another machine. Where Linux
schedules sessions as groups, nice values only count within a session, so the process gets a session of its own with
that nice value.
"""

import multiprocessing
import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.pool import ApplyResult, Pool
from pathlib import Path
from typing import Final, TypeVar

from kit.errors import Unavailable
from loadtest.hostile.attack import Act, Answers, Attack, Effort, Target
from loadtest.hostile.catalog import ATTACKS

Result = TypeVar("Result")

_PREPARE_SECONDS: Final = 120.0
_END_SECONDS: Final = 120.0
"""Seconds by which an attack may exceed `Effort.seconds`, because it waits for answers to requests in progress."""
_NICE: Final = 10
_AUTOGROUP: Final = Path("/proc/self/autogroup")
"""The nice value of the session. Source: sched(7), "The autogroup feature"."""

_prepared: list[tuple[Attack, Act, int]] = []
"""The attack that is prepared, and its largest number of runs. Filled only in the attacking process."""


class AttackProcess:
    """A process that runs one attack after the other. Call `prepare`, `start` and `outcome` for each attack."""

    def __init__(self, process: Pool) -> None:
        self._process = process

    def prepare(self, name: str, target: Target, effort: Effort) -> None:
        """Prepares the attack of this name. Raises Unavailable if the preparation fails or takes too long."""
        _result(self._process.apply_async(_prepare, (name, target, effort)), _PREPARE_SECONDS)

    def start(self) -> None:
        self._running = self._process.apply_async(_run)

    @property
    def ended(self) -> bool:
        """True if the current attack has had all its answers, or has failed."""
        return self._running.ready()

    def outcome(self, effort: Effort) -> tuple[Answers, float]:
        """Waits until the attack has ended. Returns its answers, and the seconds until it had all of them.

        The answers of an attack that failed by itself include an undocumented one. Raises Unavailable if the attack
        does not end.
        """
        return _result(self._running, effort.seconds + _END_SECONDS)


@contextmanager
def attack_process() -> Iterator[AttackProcess]:
    """Starts a process for attacks, and ends it at the end of the block."""
    with multiprocessing.get_context("spawn").Pool(1, _begin) as process:
        yield AttackProcess(process)


def _result(task: ApplyResult[Result], seconds: float) -> Result:
    try:
        return task.get(seconds)
    except multiprocessing.TimeoutError:
        raise Unavailable(f"the attack did not answer for {seconds:g} s") from None
    except Exception as error:
        raise Unavailable(f"the attack failed: {type(error).__name__}: {error}") from error


def _begin() -> None:
    os.nice(_NICE)
    os.setsid()
    with suppress(FileNotFoundError):  # the kernel was built without groups of sessions
        _AUTOGROUP.write_text(str(_NICE))
    _, limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))


def _prepare(name: str, target: Target, effort: Effort) -> None:
    _prepared.clear()
    attack = next(each for each in ATTACKS if each.name == name)
    _prepared.append((attack, attack.prepare(target, effort), effort.tries))


def _run() -> tuple[Answers, float]:
    [(attack, act, tries)] = _prepared
    started, answers = time.monotonic(), Answers()
    for _ in range(tries):
        try:
            answers += act()
        except Exception as error:  # reported as an undocumented answer, so that the study continues
            answers[f"failed: {type(error).__name__}: {error}"] += 1
        if attack.is_met_by(answers) or attack.is_contradicted_by(answers):
            break
    return answers, time.monotonic() - started
