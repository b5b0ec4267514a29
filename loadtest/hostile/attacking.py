"""Runs attacks in a separate process, so that they do not delay the interpreter that times the victims.

The process has a lower priority, because a real attacker would use the processors of another machine.
"""

import os
import resource
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Final

from kit.errors import Unavailable
from loadtest.hostile.attack import Act, Answers, Attack, Effort, Target
from loadtest.hostile.catalog import ATTACKS

_PREPARE_SECONDS: Final = 120.0
_END_SECONDS: Final = 120.0
"""Seconds by which an attack may exceed `Effort.seconds`, because it waits for answers to requests under way."""
_NICE: Final = 10


class AttackProcess:
    """A process that runs one attack after the other. Call `prepare`, `start` and `outcome` for each attack."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def prepare(self, name: str, target: Target, effort: Effort) -> None:
        """Prepares the attack of this name. Raises Unavailable if the preparation fails or takes too long."""
        self._connection.send((name, target, effort))
        self._answer(_PREPARE_SECONDS)

    def start(self) -> None:
        self._connection.send(None)

    @property
    def ended(self) -> bool:
        """True if the current attack has had all its answers."""
        return self._connection.poll()

    def outcome(self, effort: Effort) -> tuple[Answers, float]:
        """Waits until the attack has ended. Returns its answers, and the seconds until it had all of them.

        The answers of an attack that failed by itself include an undocumented one. Raises Unavailable if the attack
        does not end.
        """
        answers, seconds = self._answer(effort.seconds + _END_SECONDS)
        return Counter(answers), seconds

    def _answer(self, seconds: float) -> tuple[dict[str, int], float]:
        if not self._connection.poll(seconds):
            raise Unavailable(f"the attack did not answer for {seconds:g} s")
        try:
            said: tuple[dict[str, int], float] | str = self._connection.recv()
        except EOFError:
            raise Unavailable("the attacking process has ended") from None
        if isinstance(said, str):
            raise Unavailable(f"the attack failed: {said}")
        return said


@contextmanager
def attack_process() -> Iterator[AttackProcess]:
    """Starts a process for attacks, and kills it at the end of the block."""
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_attack, args=(theirs,), daemon=True)
    process.start()
    theirs.close()
    try:
        yield AttackProcess(ours)
    finally:
        process.kill()
        process.join()
        ours.close()


def _attack(connection: Connection) -> None:
    os.nice(_NICE)
    _, limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    while True:
        name, target, effort = connection.recv()
        try:
            attack = next(each for each in ATTACKS if each.name == name)
            act = attack.prepare(target, effort)
            connection.send(({}, 0.0))
            connection.recv()
            started = time.monotonic()
            connection.send((dict(_answers(attack, act, effort.tries)), time.monotonic() - started))
            del act
        except Exception as error:  # raised in the study's process by `_answer`
            connection.send(f"{type(error).__name__}: {error}")


def _answers(attack: Attack, act: Act, tries: int) -> Answers:
    answers: Answers = Counter()
    for _ in range(tries):
        try:
            answers += act()
        except Exception as error:  # reported as an undocumented answer, so that the study continues
            answers[f"failed: {type(error).__name__}: {error}"] += 1
        if attack.is_met_by(answers) or attack.is_contradicted_by(answers):
            break
    return answers
