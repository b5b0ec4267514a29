"""Counts and logs the errors of this process's background loops, and stores when each loop last completed a run."""

import threading
import time
from collections.abc import Callable
from typing import Final

import structlog

from kit import metrics
from kit.errors import LogsieveError

log = structlog.get_logger()

LOG_SECONDS: Final = 60.0
"""Shortest time between two log lines about errors of one loop, in seconds. The next line has the number of errors in
between."""

FAILED: Final = "a run of a background loop failed; the loop continues with its next run"

_SHOWN_SECONDS: Final = 1.0
"""Shortest time between two updates of the gauge, in seconds, because some loops run thousands of times a second."""

_last_runs: Final[dict[str, float]] = {}


class LoopHealth:
    """Records the runs of one loop and their errors. May be used from any thread."""

    def __init__(self, loop: str, monotonic: Callable[[], float] = time.monotonic) -> None:
        """`loop` must be one of a few fixed names, because it is a metric label."""
        self._loop = loop
        self._labels = {"loop": loop}
        self._monotonic = monotonic
        self._logged_at: float | None = None
        self._unlogged = 0
        self._shown_at: float | None = None
        self._lock = threading.Lock()

    def succeeded(self) -> None:
        """Notes that a run ended without an error."""
        now = self._monotonic()
        if self._shown_at is None or now - self._shown_at >= _SHOWN_SECONDS:
            self._shown_at = now
            _last_runs[self._loop] = now
            metrics.gauge(metrics.LOOP_LAST_TURN).set(time.time(), self._labels)

    def failed(self, error: Exception) -> None:
        """Counts an error that ended a run, and logs it at most once in LOG_SECONDS.

        A LogsieveError or OSError, for example of a server that does not answer, is a warning with its reason. Every
        other error is logged with its traceback.
        """
        metrics.counter(metrics.LOOP_FAILURES).add(1, self._labels)
        with self._lock:
            now = self._monotonic()
            if self._logged_at is not None and now - self._logged_at < LOG_SECONDS:
                self._unlogged += 1
                return
            self._logged_at, unlogged, self._unlogged = now, self._unlogged, 0
        if isinstance(error, (LogsieveError, OSError)):
            reason = str(error).partition("\n")[0] or type(error).__name__
            log.warning(FAILED, loop=self._loop, unlogged=unlogged, reason=reason)
        else:
            log.error(FAILED, loop=self._loop, unlogged=unlogged, exc_info=error)


def run_ages(monotonic: Callable[[], float] = time.monotonic) -> dict[str, float]:
    """Returns the seconds since the last run without an error, by the name of the loop. Leaves out loops that have not
    had such a run yet. Each age may be up to a second too large."""
    now = monotonic()
    return {loop: round(max(now - last, 0.0), 1) for loop, last in sorted(_last_runs.items())}
