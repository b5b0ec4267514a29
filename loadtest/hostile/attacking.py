"""Runs attacks in a process of their own, so that they share no interpreter with the victims' clocks.

The process has a lower priority: an attacker's own processor time is not the stack's, and would be on another machine.
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
from loadtest.hostile.attack import Act, Answers, Attack, Documented, Effort, Target

_PREPARE_SECONDS: Final = 120.0
_END_SECONDS: Final = 120.0
"""Seconds by which an attack may outlast its effort: it waits for the answers to what it began."""
_NICE: Final = 10


class AttackProcess:
    """One attack after the other: each is prepared, begun, and asked for its outcome."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def prepare(self, attack: Attack, target: Target, effort: Effort) -> None:
        """Returns when the attack can begin at once. Raises Unavailable when it cannot be prepared."""
        self._connection.send((attack, target, effort))
        self._answer(_PREPARE_SECONDS)

    def begin(self) -> None:
        self._connection.send(None)

    @property
    def ended(self) -> bool:
        """Returns true if the attack that was begun has had all its answers."""
        return self._connection.poll()

    def outcome(self, effort: Effort) -> tuple[Answers, float]:
        """Waits for the end. Returns the answers to the attack, and the seconds until it had all of them.

        An attack that failed by itself has no documented answer. Raises Unavailable when it does not end.
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
    """Starts the process and kills it at the end of the block."""
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
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    while True:
        attack, target, effort = connection.recv()
        try:
            act = attack.prepare(target, effort)
            connection.send(({}, 0.0))
            connection.recv()
            began = time.monotonic()
            connection.send((dict(_answers(attack.documented, act, effort.tries)), time.monotonic() - began))
            del act
        except Exception as error:  # told to the study
            connection.send(f"{type(error).__name__}: {error}")


def _answers(documented: Documented, act: Act, tries: int) -> Answers:
    answers: Answers = Counter()
    for _ in range(tries):
        try:
            answers += act()
        except Exception as error:  # the study goes on, and shows it as an answer that is not documented
            answers[f"failed: {type(error).__name__}: {error}"] += 1
        if documented.is_met_by(answers) or documented.contradicted_by(answers):
            break
    return answers
