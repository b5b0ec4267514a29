"""Ownership of a partition. The thread that polls Kafka and the thread that delivers share it."""

import threading

from ingest.loader.standstill import StandstillWatch
from kit.errors import Unavailable


class Abandoned(Exception):
    """This loader may no longer deliver the batch. Its intent is in Kafka, and the next owner repeats it."""


class Claim:
    """One assignment of a partition. If Kafka takes the partition away and assigns it again, that is another claim."""

    def __init__(self, standstill: StandstillWatch, since: float) -> None:
        self._standstill = standstill
        self.since = since
        """Time of the assignment, in seconds of the monotonic clock."""
        self._released = threading.Event()

    def release(self) -> None:
        """Ends the claim permanently. From then on `check` raises Abandoned."""
        self._released.set()

    def check(self) -> None:
        """Raises Abandoned if another loader owns the partition, or may own it."""
        if self._released.is_set() or self._standstill.stood_still:
            raise Abandoned

    def check_polled(self) -> None:
        """Like `check`. Also raises Unavailable if the last poll is so long ago that another loader may own the
        partition, for example while a commit waits for brokers that do not answer."""
        self.check()
        if not self._standstill.has_polled:
            raise Unavailable("Kafka has not confirmed for some seconds that the partition belongs to this loader")

    def wait(self, seconds: float) -> None:
        """Waits the given seconds, or less if the claim ends before."""
        self._released.wait(seconds)
