"""Creates the alert rules of a run over REST, and sends the records that make their groups fire."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Final

import httpx2
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from kit.clock import Clock
from kit.errors import Internal, Unavailable
from loadtest.alerts.plan import Firing, Trigger
from loadtest.background import Background
from loadtest.corpus.records import export_request
from loadtest.otlp_http import HttpConnection, SendOutcome
from loadtest.own_stack import OwnStack, Sender

INTERVAL_SECONDS: Final = 60
RANGE_SECONDS: Final = 3_600
"""Length of the range that each evaluation reads. It is longer than a run, so that no group is resolved."""
_RULE: Final = "loadtest.rule"
_GROUP: Final = "loadtest.group"
_ANSWER_SECONDS: Final = 30.0
_RETRY_SECONDS: Final = 0.5


def create_rules(stack: OwnStack, tenant: str, names: Iterable[str], url: str) -> None:
    """Creates rules that send notices to `url`. Raises Internal if the API refuses one."""
    headers = {"authorization": f"Bearer {stack.query_key(tenant)}"}
    with httpx2.Client(base_url=stack.api_url, headers=headers, timeout=_ANSWER_SECONDS, trust_env=False) as api:
        for name in names:
            answer = api.post("/alerts", json=_rule(name, url))
            if answer.status_code != httpx2.codes.CREATED:
                raise Internal(f"an alert rule was answered {answer.status_code}: {answer.text}")


def trigger_request(firing: Firing, time_ns: int) -> bytes:
    """Returns a request with the record that makes a group fire."""
    attributes = {_RULE: firing.rule, _GROUP: firing.group}
    record = LogRecord(
        time_unix_nano=time_ns,
        body=AnyValue(string_value="trigger"),
        attributes=[KeyValue(key=key, value=AnyValue(string_value=value)) for key, value in attributes.items()],
    )
    return export_request([record], pod=0)


def _rule(name: str, url: str) -> dict[str, object]:
    return {
        "name": name,
        "query": f"{_RULE}:{name} | stats count() by {_GROUP}",
        "range_seconds": RANGE_SECONDS,
        "interval_seconds": INTERVAL_SECONDS,
        "condition": {"column": "count()", "comparison": ">=", "threshold": 1},
        "channels": [{"kind": "webhook", "url": url}],
    }


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
        with ExitStack() as connections:
            self._send_all(connections)

    def _send_all(self, connections: ExitStack) -> None:
        opened = {
            key: connections.enter_context(HttpConnection(self._address, key))
            for key in {sender.ingest_key for sender in self._senders.values()}
        }
        started = self._clock.monotonic()
        for trigger in self._triggers:
            pause = started + trigger.after - self._clock.monotonic()
            connection = opened[self._senders[trigger.firing.rule].ingest_key]
            while not self.stopping.wait(max(0.0, pause)):
                # A group that has several records fires once, so an uncertain request is repeated.
                body = trigger_request(trigger.firing, self._clock.now_ns())
                if connection.export(body) is SendOutcome.acknowledged:
                    break
                pause = _RETRY_SECONDS
