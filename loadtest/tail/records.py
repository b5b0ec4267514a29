"""Makes numbered records. A record's number determines which of the study's queries match it."""

from typing import Final

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from loadtest.corpus.records import NUMBER

EVERY: Final = {"every": 1, "sometimes": 10, "seldom": 1_000, "never": 0}
"""Query texts. Each matches the records whose number is a multiple of the given one; 0 matches none."""

_PADDING: Final = " and what a log line says besides" * 6


def record(number: int, time_ns: int) -> LogRecord:
    """Returns a record whose body contains, as words, the queries that match it."""
    words = [word for word, multiple in EVERY.items() if multiple and number % multiple == 0]
    return LogRecord(
        time_unix_nano=time_ns,
        observed_time_unix_nano=time_ns,
        body=AnyValue(string_value=" ".join(words) + _PADDING),
        attributes=[KeyValue(key=NUMBER, value=AnyValue(int_value=number))],
    )


def matching(query: str, numbers: range) -> set[int]:
    """Returns the numbers of the records that the query matches."""
    multiple = EVERY[query]
    return {number for number in numbers if number % multiple == 0} if multiple else set()
