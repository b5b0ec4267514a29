"""Records which parts of a batch are stored, beside the committed offset, for the next owner of the partition."""

import threading
from collections.abc import Callable
from typing import Final

from ingest.loader.batch import Batch

WRITE_SECONDS: Final = 5.0
"""Seconds after which the finished lanes of a batch are committed although other lanes are not finished."""

Write = Callable[[frozenset[int], frozenset[int]], None]
"""Commits the numbers of the inserted and of the split lanes; returns when Kafka has acknowledged them."""


class Progress:
    """Stored lanes of one batch, shared by the threads of its lanes. Writes happen one after the other, the newest
    last."""

    def __init__(self, batch: Batch, write: Write) -> None:
        self._write = write
        self._lock = threading.Lock()
        self._lanes = frozenset(batch.lanes)
        self._inserted, self._split = batch.inserted, batch.split
        if batch.repeated is not None:
            # A later owner must not repeat the range under its token: it does not know when the first owner inserted.
            self._split |= self._lanes - self._inserted
        self._written: tuple[frozenset[int], frozenset[int]] | None = None
        self._is_late = False

    def write(self) -> None:
        """Commits the known progress. Returns when Kafka has confirmed it."""
        with self._lock:
            self._commit()

    def late(self) -> None:
        """Notes that a lane or the usage takes long. From now on, each inserted lane is committed immediately.

        Inserts of other partitions continue, and may make ClickHouse forget the tokens of this range.
        """
        with self._lock:
            self._is_late = True
            self._commit()

    def inserted(self, lane: int) -> None:
        """Notes that the lane's rows are stored."""
        with self._lock:
            self._inserted |= {lane}
            if self._is_late and self._lanes - self._inserted:
                self._commit()

    def split(self, lane: int) -> None:
        """Commits to Kafka that some rows of the lane may be stored without the range's token.

        Returns when Kafka has confirmed the commit.
        """
        with self._lock:
            self._split |= {lane}
            self._commit()

    def _commit(self) -> None:
        # A stored lane needs no further check, split or not.
        state = self._inserted, self._split - self._inserted
        if state != self._written:
            self._write(*state)
            self._written = state
