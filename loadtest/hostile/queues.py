"""Runs all attacks of the small study: the queues at the same time, the attacks of a queue one after the other."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

from loadtest.hostile.attack import Answers, Attack, Effort, Queue, Target
from loadtest.hostile.attacking import AttackProcess, attack_process

Ended = tuple[Answers, float]
"""An attack's answers, and the seconds until it had all of them."""
Report = Callable[[Attack, Answers, float], None]
"""Called with each attack, its answers and its seconds when it has ended."""


class RunningQueues:
    """The queues of attacks. A thread for each queue controls the process that runs the queue's attacks."""

    def __init__(
        self, queues: Sequence[tuple[AttackProcess, Sequence[Attack]]], target: Target, effort: Effort, report: Report
    ) -> None:
        self._queues = queues
        self._target = target
        self._effort = effort
        self._report = report
        self._pool = ThreadPoolExecutor(len(queues), thread_name_prefix="attacks")
        self._running: list[Future[dict[str, Ended]]] = []

    def start(self) -> None:
        """Begins all queues without waiting for them."""
        self._running = [self._pool.submit(self._run, *queue) for queue in self._queues]

    def ended(self) -> bool:
        """Returns whether all attacks of all queues have ended."""
        return all(each.done() for each in self._running)

    def outcomes(self) -> dict[str, Ended]:
        """Waits for all attacks. Returns the outcome of each by its name. Raises Unavailable if one does not end."""
        found: dict[str, Ended] = {}
        for each in self._running:
            found |= each.result()
        return found

    def _run(self, process: AttackProcess, attacks: Sequence[Attack]) -> dict[str, Ended]:
        found: dict[str, Ended] = {}
        for attack in attacks:
            process.prepare(attack, self._target, self._effort)
            process.start()
            answers, seconds = process.outcome(self._effort)
            self._report(attack, answers, seconds)
            found[attack.name] = answers, seconds
        return found


@contextmanager
def in_queues(attacks: Sequence[Attack], target: Target, effort: Effort, report: Report) -> Iterator[RunningQueues]:
    """Starts a process for each queue that has attacks, and ends the processes at the end of the block."""
    queues = [[each for each in attacks if each.queue is queue] for queue in Queue]
    with ExitStack() as processes:
        yield RunningQueues(
            [(processes.enter_context(attack_process()), queue) for queue in queues if queue], target, effort, report
        )
