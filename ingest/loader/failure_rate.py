"""The share of recent messages that became dead letters, above which the loader stops."""

from collections import deque

from kit.errors import Internal
from kit.settings import Settings
from schema.dead_letter import DeadLetter

RECENT_MESSAGES = 1000


class TooManyDeadLetters(Internal):
    """More messages became dead letters than the settings allow. If the loader continued, the whole topic might become
    dead letters."""


class FailureRate:
    """Share of dead letters among the last RECENT_MESSAGES messages of this process, over all partitions."""

    def __init__(self, settings: Settings) -> None:
        self._ratio = settings.loader_dead_ratio
        self._minimum = settings.loader_dead_minimum
        self._recent: deque[bool] = deque()
        self._dead = 0

    def count(self, message: object) -> None:
        """Counts one message. Raises TooManyDeadLetters if both the minimum number and the ratio in the settings are
        exceeded."""
        is_dead = isinstance(message, DeadLetter)
        self._recent.append(is_dead)
        self._dead += is_dead
        if len(self._recent) > RECENT_MESSAGES:
            self._dead -= self._recent.popleft()
        if not isinstance(message, DeadLetter):
            return
        if self._dead > self._minimum and self._dead > self._ratio * len(self._recent):
            raise TooManyDeadLetters(
                f"{self._dead} of the last {len(self._recent)} messages cannot be loaded, the last one at "
                f"{message.origin.text}: {message.reason}. The loader stops, and does not commit this message or any "
                "later one. Fix the cause, or raise LOGSIEVE_LOADER_DEAD_RATIO if these messages may become dead "
                "letters"
            )
