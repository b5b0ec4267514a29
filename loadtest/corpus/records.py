"""Makes the OTLP log records of an exact size that load tests send, and requests of them."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from loadtest.corpus.text import shipped_texts
from schema.severity import Severity

NUMBER: Final = "loadtest.number"
"""Name of the attribute that holds the record's number, by which load tests recognise the record."""

_SEVERITIES: Final = (Severity.debug, Severity.info, Severity.warn, Severity.error)
_OFTEN: Final = (15, 70, 10, 5)
_PATHS: Final = ("orders", "carts", "users", "payments", "search", "stock", "sessions", "invoices")
_FUNCTIONS: Final = 2_000


@dataclass(frozen=True, slots=True)
class Shape:
    """Size of a record.

    `size` is the sum of the bytes of the body and of the names and values of all attributes as text. `attributes` is
    the number of attributes, including the one named NUMBER.
    """

    size: int
    attributes: int


SMALL: Final = Shape(300, 6)
LARGE: Final = Shape(4096, 10)


class RecordSource:
    """Makes up records with consecutive numbers from `first`. Every second record has a trace id and a span id."""

    def __init__(self, shape: Shape, seed: int, first: int = 0) -> None:
        self._shape = shape
        self._texts = [text for _, text in shipped_texts(seed)]
        self._rng = random.Random(seed)
        self._next = first

    def take(self, count: int, time_ns: int) -> list[LogRecord]:
        """Returns the next `count` records, all with the timestamp `time_ns`."""
        return [self._record(time_ns) for _ in range(count)]

    def _record(self, time_ns: int) -> LogRecord:
        rng, number = self._rng, self._next
        self._next += 1
        attributes = self._attributes(number)
        room = self._shape.size - sum(len(name) + len(value) for name, value in attributes.items())
        severity = rng.choices(_SEVERITIES, _OFTEN)[0]
        record = LogRecord(
            time_unix_nano=time_ns,
            observed_time_unix_nano=time_ns,
            severity_number=int(severity),  # type: ignore[arg-type]  # the stubs have a type of their own for it
            severity_text=severity.name.upper(),
            body=AnyValue(string_value=rng.choice(self._texts).message(rng, room)),
            attributes=[_key_value(name, value) for name, value in attributes.items()],
        )
        if number % 2 == 0:
            record.trace_id = rng.randbytes(16)
            record.span_id = rng.randbytes(8)
        return record

    def _attributes(self, number: int) -> dict[str, str]:
        rng = self._rng
        every = {
            NUMBER: str(number),
            "http.request.method": rng.choice(("GET", "GET", "GET", "POST", "PUT")),
            "http.response.status_code": rng.choices(("200", "204", "404", "500"), (80, 8, 8, 4))[0],
            "url.path": f"/api/{rng.choice(_PATHS)}/{rng.randrange(100_000)}",
            "user.id": str(int(rng.expovariate(1 / 5_000))),
            "thread.name": f"worker-{rng.randrange(16)}",
            "client.address": f"10.{rng.randrange(8)}.{rng.randrange(256)}.{rng.randrange(256)}",
            "code.function.name": f"handle_{rng.randrange(_FUNCTIONS)}",
            "session.id": f"{rng.getrandbits(64):016x}",
            "duration_ms": f"{rng.expovariate(1 / 40):.2f}",
        }
        return dict(list(every.items())[: self._shape.attributes])


def _key_value(name: str, value: str) -> KeyValue:
    """Returns an attribute. A value that is a whole number is sent as an integer."""
    if value.isdigit() and value == str(int(value)):
        return KeyValue(key=name, value=AnyValue(int_value=int(value)))
    return KeyValue(key=name, value=AnyValue(string_value=value))


def export_request(records: Sequence[LogRecord], pod: int, service: str = "loadtest") -> bytes:
    """Returns a request as protobuf bytes. All its records have one resource, that of pod number `pod` of `service`."""
    resource = {
        "service.name": service,
        "service.version": "1.0.0",
        "service.instance.id": f"{service}-{pod}",
        "host.name": f"node-{pod % 4}.example.com",
        "deployment.environment.name": "benchmark",
    }
    logs = ResourceLogs(
        resource=Resource(
            attributes=[KeyValue(key=key, value=AnyValue(string_value=value)) for key, value in resource.items()]
        ),
        scope_logs=[ScopeLogs(scope=InstrumentationScope(name="loadtest", version="1.0.0"), log_records=records)],
    )
    return ExportLogsServiceRequest(resource_logs=[logs]).SerializeToString()
