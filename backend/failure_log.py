"""Logs requests that failed by an error of the server, at most one line a second for each error code."""

import time
from collections import Counter
from collections.abc import Callable
from typing import Final

import structlog

from kit.errors import LogsieveError

log = structlog.get_logger()

LOG_SECONDS: Final = 1.0
"""Shortest time between two lines with the same error code, in seconds. A flood of requests would otherwise hide all
other lines. The next line has the number of failures in between."""


class FailureLog:
    """Logs failures. For one event loop."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._logged_at: dict[str, float] = {}
        self._unlogged: Counter[str] = Counter()

    def failed(self, route: str | None, error: LogsieveError, unexpected: Exception | None = None) -> None:
        """Logs a failure of a request. `route` is the template of its route: the path may be long, and have names of a
        tenant's fields. `unexpected` is logged with its traceback."""
        code, now = error.code, self._monotonic()
        if now - self._logged_at.get(code, -LOG_SECONDS) < LOG_SECONDS:
            self._unlogged[code] += 1
            return
        self._logged_at[code] = now
        unlogged = self._unlogged.pop(code, 0)
        if unexpected is None:
            log.warning("request failed", route=route, code=code, detail=error.detail, unlogged=unlogged)
        else:
            log.error("request failed", route=route, unlogged=unlogged, exc_info=unexpected)
