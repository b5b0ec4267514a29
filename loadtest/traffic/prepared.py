"""Prepares requests before the run, so that the cost of making up records does not make the sender late."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final, Self

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from kit.clock import Clock
from loadtest.corpus.records import NUMBER, RecordSource, Shape, export_request
from loadtest.own_stack import Sender
from loadtest.traffic.open_loop import Call
from loadtest.traffic.scheduled_exports import ScheduledExports
from loadtest.traffic.sender import PODS, POOL_BYTES

REQUEST_SECONDS: Final = 0.1
"""Seconds of a tenant's records that each request contains."""

FIRST_NUMBER: Final = 10**9
"""Number of the first record. All numbers of a run have ten digits, so that a new number keeps a record's size."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Schedule of a run: `requests` requests of `records` records each, one every `interval` seconds."""

    records: int
    interval: float
    requests: int

    @classmethod
    def of(cls, rate: float, seconds: float, tenants: int) -> Self:
        """Returns the pace at which all tenants together send `rate` records per second for `seconds`."""
        records = max(1, round(rate * REQUEST_SECONDS / tenants))
        return cls(records, records / rate, max(1, round(seconds * rate / records)))


class PreparedRequests:
    """A pool of requests with at most POOL_BYTES of records, which are sent one after the other.

    Each time a request is sent, its records get new numbers and a new time, which costs little.
    """

    def __init__(self, shape: Shape, seed: int, pace: Pace) -> None:
        """Prepares no more requests than `pace` has."""
        self.pace = pace
        size = min(pace.requests, max(1, POOL_BYTES // (shape.size * pace.records)))
        source = RecordSource(shape, seed, FIRST_NUMBER)
        self._pool = [
            _Prepared.of(export_request(source.take(pace.records, 0), number % PODS)) for number in range(size)
        ]
        self._sent, self._first = 0, FIRST_NUMBER

    def next(self, time_ns: int) -> tuple[bytes, range]:
        """Returns the next request as protobuf bytes, and the numbers of its records. All have the time `time_ns`."""
        prepared = self._pool[self._sent % len(self._pool)]
        numbers = range(self._first, self._first + len(prepared.records))
        for record, value, number in zip(prepared.records, prepared.numbers, numbers, strict=True):
            record.time_unix_nano = record.observed_time_unix_nano = time_ns
            value.int_value = number
        self._sent, self._first = self._sent + 1, numbers.stop
        return prepared.message.SerializeToString(), numbers


def calls(
    senders: Sequence[Sender], requests: PreparedRequests, exports: ScheduledExports, clock: Clock
) -> Iterator[tuple[float, Call]]:
    """Yields calls without an end, each with the seconds at which it is due by the pace of `requests`.

    Each call sends one request, for one tenant after the other.
    """
    for number in count():
        time_ns, sender = clock.now_ns(), senders[number % len(senders)]
        yield number * requests.pace.interval, exports.call(sender, *requests.next(time_ns), time_ns)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A request, its records in order, and for each record the attribute value that holds its number."""

    message: ExportLogsServiceRequest
    records: tuple[LogRecord, ...]
    numbers: tuple[AnyValue, ...]

    @classmethod
    def of(cls, body: bytes) -> Self:
        message = ExportLogsServiceRequest.FromString(body)
        records = tuple(message.resource_logs[0].scope_logs[0].log_records)
        return cls(message, records, tuple(_number(record) for record in records))


def _number(record: LogRecord) -> AnyValue:
    return next(attribute.value for attribute in record.attributes if attribute.key == NUMBER)
