"""Lets a run over several servers continue after one of them failed, and fail in the end."""

from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from kit.errors import LogsieveError

log = structlog.get_logger()


class FirstFailure:
    """Keeps the first expected error of a run."""

    def __init__(self) -> None:
        self._error: LogsieveError | OSError | None = None

    @contextmanager
    def kept(self, shard: int | None = None) -> Iterator[None]:
        """Runs the block, and keeps a LogsieveError or OSError that it raises. Logs every error of a shard."""
        try:
            yield
        except (LogsieveError, OSError) as error:
            if shard is not None:
                log.warning("a run failed on one shard", shard=shard, reason=str(error).partition("\n")[0])
            self._error = self._error or error

    def raise_kept(self) -> None:
        """Raises the kept error, if there is one."""
        if self._error is not None:
            raise self._error
