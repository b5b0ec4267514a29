"""Sends at a fixed rate whatever the answers take: a slow receiver is not spared, as a closed loop would."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final

from kit.clock import Clock
from loadtest.freshness.prepared import Pace, PreparedRequests
from loadtest.otlp_http import HttpConnection, Outcome
from loadtest.own_stack import Sender
from loadtest.sent import Sent

_CONNECTIONS: Final = 32
"""Requests under way at once; a receiver that is slower than that many makes the run late, which is reported."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A request that was acknowledged `at` (monotonic seconds). All its records have `time_ns`."""

    sender: Sender
    time_ns: int
    records: int
    at: float


@dataclass(slots=True)
class OpenLoop:
    """One run. `on_answer` is called from the sending threads."""

    senders: list[Sender]
    address: tuple[str, int]
    clock: Clock
    on_answer: Callable[[Answered], None]
    sent: dict[int, Sent] = field(default_factory=dict)
    latest: float = 0.0
    """Seconds by which the latest request went out behind its schedule."""
    _connections: threading.local = field(default_factory=threading.local)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, pace: Pace, requests: PreparedRequests) -> None:
        """Tenants take turns. Raises InvalidRequest when the receiver finds fault with a request."""
        self.sent = {sender.tenant_id: Sent() for sender in self.senders}
        began = self.clock.monotonic()
        with ThreadPoolExecutor(_CONNECTIONS, thread_name_prefix="sender") as pool:
            under_way: list[Future[None]] = []
            for turn in range(pace.requests):
                # Stamped before its time: what that costs is not the receiver's delay.
                time_ns = self.clock.now_ns()
                body, numbers = requests.next(time_ns)
                sender = self.senders[turn % len(self.senders)]
                due = began + turn * pace.interval
                time.sleep(max(0.0, due - self.clock.monotonic()))
                under_way.append(pool.submit(self._send, sender, body, numbers, time_ns, due))
            for future in under_way:
                future.result()

    def _send(self, sender: Sender, body: bytes, numbers: range, time_ns: int, due: float) -> None:
        connection = self._connection(sender)
        late = self.clock.monotonic() - due
        outcome = connection.export(body)
        at = self.clock.monotonic()
        with self._lock:
            self.latest = max(self.latest, late)
            ledger = self.sent[sender.tenant_id]
            if outcome is Outcome.acknowledged:
                ledger.acknowledged.append(numbers)
            else:
                ledger.uncertain.append(numbers)
        if outcome is Outcome.acknowledged:
            self.on_answer(Answered(sender, time_ns, len(numbers), at))

    def _connection(self, sender: Sender) -> HttpConnection:
        """Each thread keeps one a tenant; they close when the thread ends with its pool."""
        opened: dict[int, HttpConnection] | None = getattr(self._connections, "opened", None)
        if opened is None:
            opened = self._connections.opened = {}
        if sender.tenant_id not in opened:
            opened[sender.tenant_id] = HttpConnection(self.address, sender.ingest_key)
        return opened[sender.tenant_id]
