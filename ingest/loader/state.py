"""State shared by the loader's threads, its signal handler and its operations port."""

import threading
from collections.abc import Set
from dataclasses import dataclass, field


@dataclass(slots=True)
class LoaderState:
    """State that any thread may read and change. `problems` says for each partition why it waits."""

    stopping: threading.Event = field(default_factory=threading.Event)
    problems: dict[int, str] = field(default_factory=dict)

    def report(self, partition: int, problem: str | None) -> None:
        if problem is None:
            self.problems.pop(partition, None)
        else:
            self.problems[partition] = problem

    def keep_only(self, partitions: Set[int]) -> None:
        """Forgets the problems of all other partitions, which this loader does not own. Their threads may report once
        more after they were revoked."""
        for each in self.problems.keys() - partitions:
            self.report(each, None)

    @property
    def problem(self) -> str | None:
        """Returns one sentence per reason, with the partitions that wait for it; None if none waits."""
        waiting: dict[str, list[int]] = {}
        for partition, problem in sorted(self.problems.copy().items()):
            waiting.setdefault(problem, []).append(partition)
        return "; ".join(f"{problem} (partitions {_numbers(numbers)})" for problem, numbers in waiting.items()) or None


def _numbers(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))
