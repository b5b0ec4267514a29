"""How many of the recent messages became dead letters, and when that is too many to go on."""

from collections import deque

from kit.errors import Internal
from kit.settings import Settings
from schema.dead_letter import DeadLetter

RECENT_MESSAGES = 1000


class TooManyDead(Internal):
    """Going on would drain the topic into the dead letters."""


class Mortality:
    """Counts over the last RECENT_MESSAGES messages of this process, whatever their partition."""

    def __init__(self, settings: Settings) -> None:
        self._ratio = settings.loader_dead_ratio
        self._minimum = settings.loader_dead_minimum
        self._recent: deque[bool] = deque()
        self._dead = 0

    def count(self, message: object) -> None:
        """Counts one message. Raises TooManyDead when there are more than the minimum, and more than the ratio."""
        is_dead = isinstance(message, DeadLetter)
        self._recent.append(is_dead)
        self._dead += is_dead
        if len(self._recent) > RECENT_MESSAGES:
            self._dead -= self._recent.popleft()
        if not isinstance(message, DeadLetter):
            return
        if self._dead > self._minimum and self._dead > self._ratio * len(self._recent):
            raise TooManyDead(
                f"{self._dead} of the last {len(self._recent)} messages cannot be loaded, "
                f"the last one at {message.origin.text}: {message.reason}; nothing from there on is committed; if they "
                "may be set aside, raise LOGSIEVE_LOADER_DEAD_RATIO"
            )
