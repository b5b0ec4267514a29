"""How much memory of the backend exports take: one read at full speed, by a slow client, and by one that vanishes."""

import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kit.errors import Internal
from loadtest.own_stack import Say
from loadtest.query_api import QueryApi

GOAL_BYTES: Final = 100 * 2**20
_PIECE: Final = 64 * 1024
_SAMPLE_SECONDS: Final = 0.02


@dataclass(frozen=True, slots=True)
class Growth:
    """Of the backend's resident memory while one client exported."""

    client: str
    records: int
    bytes: int
    seconds: float
    grown_bytes: int
    complete: bool
    """Whether the client has what it should have: everything, or a part where it did not read on."""


class Resident:
    """The most resident memory that a process had within the block, sampled."""

    def __init__(self, pid: int) -> None:
        self._file = Path(f"/proc/{pid}/status")
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self.before = self.most = self.now()

    def now(self) -> int:
        """Bytes (VmRSS of proc_pid_status(5))."""
        line = next(line for line in self._file.read_text().splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) * 1024

    def __enter__(self) -> "Resident":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stopping.wait(_SAMPLE_SECONDS):
            self.most = max(self.most, self.now())


class ExportMeasurement:
    """On a backend that has answered before, so that what it loads once does not count."""

    def __init__(self, api: QueryApi, pid: int, parameters: dict[str, str | int], records: int, say: Say) -> None:
        self._api = api
        self._pid = pid
        self._parameters = parameters
        self._records = records
        self._say = say

    def at_full_speed(self, format: str) -> Growth:
        """Everything, as fast as it comes."""
        began = time.monotonic()
        with Resident(self._pid) as memory:
            received, last = self._read({**self._parameters, "format": format}, seconds=None, pause=0.0)
        records = received - (1 if format == "csv" else 0)
        complete = records == self._records and b'"error"' not in last[:9]
        return self._growth(f"{format} at full speed", memory, records, began, complete)

    def slowly(self, seconds: float) -> Growth:
        """A client that takes a piece every tenth of a second and leaves after `seconds`."""
        began = time.monotonic()
        with Resident(self._pid) as memory:
            records, _ = self._read(self._parameters, seconds, pause=0.1)
        return self._growth("slow", memory, records, began, 0 < records < self._records)

    def vanishing(self, times: int) -> Growth:
        """Clients that leave after the first piece, one after the other; the backend must forget each of them."""
        began, records = time.monotonic(), 0
        with Resident(self._pid) as memory:
            for _ in range(times):
                records += self._read(self._parameters, seconds=0.0, pause=0.0)[0]
        return self._growth(f"{times} that vanish", memory, records, began, 0 < records < times * self._records)

    def _read(self, parameters: dict[str, str | int], seconds: float | None, pause: float) -> tuple[int, bytes]:
        """How many lines came, and the end of the last piece."""
        lines, piece, began = 0, b"", time.monotonic()
        self._bytes = 0
        with self._api.export(parameters) as answer:
            for piece in answer.iter_bytes(_PIECE):
                lines += piece.count(b"\n")
                self._bytes += len(piece)
                if seconds is not None and time.monotonic() - began >= seconds:
                    break
                if pause:
                    time.sleep(pause)
        if not self._bytes:
            raise Internal("the export was empty")
        return lines, piece[-4096:].rpartition(b"\n")[0].rpartition(b"\n")[2]

    def _growth(self, client: str, memory: Resident, records: int, began: float, complete: bool) -> Growth:
        growth = Growth(client, records, self._bytes, time.monotonic() - began, memory.most - memory.before, complete)
        self._say(f"{client}: {records} records, {growth.grown_bytes / 2**20:.0f} MiB more in {growth.seconds:.1f} s")
        return growth
