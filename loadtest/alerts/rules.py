"""Creates the alert rules of a run over REST, and sends the records that make their groups fire."""

import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import httpx2
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from kit.clock import Clock
from kit.errors import Internal
from loadtest.alerts.plan import Firing
from loadtest.corpus.records import export_request
from loadtest.own_stack import OwnStack, Sender
from loadtest.traffic.otlp_http import SendOutcome, ThreadConnections

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
            rule = {
                "name": name,
                "query": f"{_RULE}:{name} | stats count() by {_GROUP}",
                "range_seconds": RANGE_SECONDS,
                "interval_seconds": INTERVAL_SECONDS,
                "condition": {"column": "count()", "comparison": ">=", "threshold": 1},
                "channels": [{"kind": "webhook", "url": url}],
            }
            answer = api.post("/alerts", json=rule)
            while answer.status_code == httpx2.codes.TOO_MANY_REQUESTS:
                time.sleep(float(answer.headers["retry-after"]))
                answer = api.post("/alerts", json=rule)
            if answer.status_code != httpx2.codes.CREATED:
                raise Internal(f"an alert rule was answered {answer.status_code}: {answer.text}")


def send_triggers(
    triggers: Sequence[tuple[float, Firing]],
    senders: Mapping[str, Sender],
    address: tuple[str, int],
    clock: Clock,
    stopping: threading.Event,
) -> None:
    """Sends the first record of each group until `stopping` is set. `senders` has the tenant of each rule."""
    started = clock.monotonic()
    with ThreadConnections(address) as connections:
        for after, firing in triggers:
            pause = started + after - clock.monotonic()
            connection = connections.with_key(senders[firing.rule].ingest_key)
            while not stopping.wait(max(0.0, pause)):
                # A group that has several records fires once, so an uncertain request is repeated.
                if connection.export(_request(firing, clock.now_ns())) is SendOutcome.acknowledged:
                    break
                pause = _RETRY_SECONDS


def _request(firing: Firing, time_ns: int) -> bytes:
    """Returns a request with the record that makes a group fire."""
    attributes = {_RULE: firing.rule, _GROUP: firing.group}
    record = LogRecord(
        time_unix_nano=time_ns,
        body=AnyValue(string_value="trigger"),
        attributes=[KeyValue(key=key, value=AnyValue(string_value=value)) for key, value in attributes.items()],
    )
    return export_request([record], pod=0)
