"""One sender process: its share of every stage, sent on schedule whatever the answers take."""

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final

from kit.clock import Clock, SystemClock
from loadtest.corpus.records import RecordSource, Shape
from loadtest.corpus.request import export_request
from loadtest.otlp_http import HttpConnection, Outcome
from loadtest.own_stack import Sender
from loadtest.send.profile import Stage

REQUEST_SECONDS: Final = 0.1
"""Each request holds what the process sends in this time."""

_CONNECTIONS: Final = 32
NUMBERS: Final = 2**40
"""Each process numbers its records from a multiple of this."""


@dataclass(frozen=True, slots=True)
class Share:
    """What one of `of` processes sends."""

    process: int
    of: int
    senders: tuple[Sender, ...]
    address: tuple[str, int]
    shape: Shape
    stages: tuple[Stage, ...]
    seed: int


@dataclass(slots=True)
class Tally:
    """What came of it; `seconds` has a value for each acknowledged request, from its due time to its answer."""

    acknowledged: dict[int, int] = field(default_factory=dict)
    uncertain: dict[int, int] = field(default_factory=dict)
    refused: int = 0
    seconds: list[float] = field(default_factory=list)
    behind: float = 0.0


def send_share(share: Share) -> Tally:
    """Runs in a process of its own. Raises InvalidRequest when the receiver finds fault with a request."""
    return _Run(share, SystemClock()).run()


class _Run:
    def __init__(self, share: Share, clock: Clock) -> None:
        self._share = share
        self._clock = clock
        self._tally = Tally()
        self._lock = threading.Lock()
        self._local = threading.local()

    def run(self) -> Tally:
        share = self._share
        source = RecordSource(share.shape, share.seed + share.process, first=share.process * NUMBERS)
        turn, due = 0, self._clock.monotonic() + 1.0
        with ThreadPoolExecutor(_CONNECTIONS, thread_name_prefix="sender") as pool:
            under_way: list[Future[None]] = []
            for stage in share.stages:
                credit = 0.0
                for _ in range(round(stage.seconds / REQUEST_SECONDS)):
                    credit += stage.rate / share.of * REQUEST_SECONDS
                    records, credit = int(credit), credit - int(credit)
                    if records:
                        # Made before its time: what making records up costs is not the receiver's delay.
                        body = export_request(source.take(records, self._clock.now_ns()), turn % 8)
                        time.sleep(max(0.0, due - self._clock.monotonic()))
                        sender = share.senders[turn % len(share.senders)]
                        under_way.append(pool.submit(self._send, sender, body, records, due))
                    turn += 1
                    due += REQUEST_SECONDS
                under_way = [future for future in under_way if not _finished(future)]
            for future in under_way:
                future.result()
        return self._tally

    def _send(self, sender: Sender, body: bytes, records: int, due: float) -> None:
        behind = self._clock.monotonic() - due
        outcome = self._connection(sender).export(body)
        answered = self._clock.monotonic()
        with self._lock:
            tally = self._tally
            tally.behind = max(tally.behind, behind)
            if outcome is Outcome.acknowledged:
                tally.acknowledged[sender.tenant_id] = tally.acknowledged.get(sender.tenant_id, 0) + records
                tally.seconds.append(answered - due)
            elif outcome is Outcome.refused:
                tally.refused += records
            else:
                tally.uncertain[sender.tenant_id] = tally.uncertain.get(sender.tenant_id, 0) + records

    def _connection(self, sender: Sender) -> HttpConnection:
        opened: dict[int, HttpConnection] | None = getattr(self._local, "opened", None)
        if opened is None:
            opened = self._local.opened = {}
        if sender.tenant_id not in opened:
            opened[sender.tenant_id] = HttpConnection(self._share.address, sender.ingest_key)
        return opened[sender.tenant_id]


def _finished(future: Future[None]) -> bool:
    """Whether it is over; raises what it raised."""
    if future.done():
        future.result()
    return future.done()
