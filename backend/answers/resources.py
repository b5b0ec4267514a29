"""The threads and the memory that services of a process share to answer requests."""

from dataclasses import dataclass

from backend.answers.budget import AnswerBudget
from backend.answers.threads import AnswerThreads
from backend.store.query_threads import QueryThreads
from kit.clock import Clock
from kit.settings import Settings


@dataclass(frozen=True, slots=True)
class Resources:
    """Threads for query text, threads that write answers, and the budget for answers that clients have not read."""

    queries: QueryThreads
    writers: AnswerThreads
    answers: AnswerBudget

    @classmethod
    def of(cls, settings: Settings, clock: Clock) -> "Resources":
        """Returns the resources for one event loop. They must be closed."""
        return cls(QueryThreads(clock), AnswerThreads(clock), AnswerBudget(settings.query_max_unread_bytes))

    def close(self) -> None:
        """Ends the threads. Waits for answers that are being written."""
        self.queries.close()
        self.writers.close()
