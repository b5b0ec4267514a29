"""Sends the planned triggers at their times, in a separate thread."""

from collections.abc import Mapping, Sequence
from typing import Final

from kit.clock import Clock
from kit.errors import Unavailable
from loadtest.alerts.plan import Trigger
from loadtest.alerts.rules import trigger_request
from loadtest.background import Background
from loadtest.otlp_http import SendOutcome, ThreadConnections
from loadtest.own_stack import Sender

_RETRY_SECONDS: Final = 0.5


class Triggers(Background):
    """Sends within the block. `senders` has the tenant of each rule."""

    def __init__(
        self, triggers: Sequence[Trigger], senders: Mapping[str, Sender], address: tuple[str, int], clock: Clock
    ) -> None:
        super().__init__("triggers")
        self._triggers = triggers
        self._senders = senders
        self._address = address
        self._clock = clock

    def finish(self, seconds: float) -> None:
        """Waits until all triggers are acknowledged.

        Raises the error that ended the thread, and Unavailable if triggers are left after `seconds`.
        """
        if not self.join(seconds):
            raise Unavailable(f"some triggers were not acknowledged within {seconds:g} s")

    def work(self) -> None:
        connections = ThreadConnections(self._address)
        started = self._clock.monotonic()
        for trigger in self._triggers:
            pause = started + trigger.after - self._clock.monotonic()
            connection = connections.with_key(self._senders[trigger.firing.rule].ingest_key)
            while not self.stopping.wait(max(0.0, pause)):
                # A group that has several records fires once, so an uncertain request is repeated.
                body = trigger_request(trigger.firing, self._clock.now_ns())
                if connection.export(body) is SendOutcome.acknowledged:
                    break
                pause = _RETRY_SECONDS
