"""Sends the planned triggers at their times, in a separate thread."""

import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Final

from kit.clock import Clock
from kit.errors import Unavailable
from loadtest.alerts.plan import Trigger
from loadtest.alerts.rules import trigger_request
from loadtest.otlp_http import HttpConnection, SendOutcome
from loadtest.own_stack import Sender

_RETRY_SECONDS: Final = 0.5


class Triggers(AbstractContextManager["Triggers"]):
    """Sends within the block. `senders` has the tenant of each rule."""

    def __init__(
        self, triggers: Sequence[Trigger], senders: Mapping[str, Sender], address: tuple[str, int], clock: Clock
    ) -> None:
        self._triggers = triggers
        self._senders = senders
        self._address = address
        self._clock = clock
        self._failure: Exception | None = None
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="triggers", daemon=True)

    def __enter__(self) -> "Triggers":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join()

    def finish(self, seconds: float) -> None:
        """Waits until all triggers are acknowledged.

        Raises the error that ended the thread, and Unavailable if triggers are left after `seconds`.
        """
        self._thread.join(seconds)
        if self._failure is not None:
            raise self._failure
        if self._thread.is_alive():
            raise Unavailable(f"some triggers were not acknowledged within {seconds:g} s")

    def _run(self) -> None:
        try:
            with ExitStack() as connections:
                self._send_all(connections)
        except Exception as error:  # `finish` raises it in the main thread
            self._failure = error

    def _send_all(self, connections: ExitStack) -> None:
        opened = {
            sender.tenant_id: connections.enter_context(HttpConnection(self._address, sender.ingest_key))
            for sender in self._senders.values()
        }
        started = self._clock.monotonic()
        for trigger in self._triggers:
            pause = started + trigger.after - self._clock.monotonic()
            connection = opened[self._senders[trigger.firing.rule].tenant_id]
            while not self._stopping.wait(max(0.0, pause)):
                # A group that has several records fires once, so an uncertain request is repeated.
                body = trigger_request(trigger.firing, self._clock.now_ns())
                if connection.export(body) is SendOutcome.acknowledged:
                    break
                pause = _RETRY_SECONDS
