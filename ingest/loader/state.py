"""What the loader's loop, its signal handler and its operations port share."""

import threading
from dataclasses import dataclass, field


@dataclass(slots=True)
class LoaderState:
    """Any thread may read and set it. `problem` says why batches wait, None while they do not."""

    stopping: threading.Event = field(default_factory=threading.Event)
    problem: str | None = None

    def report(self, problem: str | None) -> None:
        self.problem = problem
