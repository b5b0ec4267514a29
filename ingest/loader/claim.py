"""Ownership of a partition, shared by the thread that polls Kafka and the thread that delivers."""

import threading

from ingest.loader.standstill import StandstillWatch


class Abandoned(Exception):
    """The batch is no longer ours to deliver. Its intent is in Kafka, and the next owner repeats it."""


class Claim:
    """One assignment of a partition. A partition that goes and comes back is another claim."""

    def __init__(self, standstill: StandstillWatch) -> None:
        self._standstill = standstill
        self._released = threading.Event()

    def release(self) -> None:
        """Ends the claim for good. From then on `check` raises Abandoned."""
        self._released.set()

    def check(self) -> None:
        """Raises Abandoned if the partition belongs to another loader, or may do so."""
        if self._released.is_set() or self._standstill.stood_still:
            raise Abandoned

    def wait(self, seconds: float) -> None:
        """Lets time pass, less of it when the claim ends."""
        self._released.wait(seconds)
