"""Numbered records of which it is known by construction what each query matches."""

from typing import Final

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from loadtest.corpus.records import NUMBER

EVERY: Final = {"every": 1, "sometimes": 10, "seldom": 1_000, "never": 0}
"""Query text, and which multiples match it; 0 for none."""

_PADDING: Final = " and what a log line says besides" * 6


def record(number: int, time_ns: int) -> LogRecord:
    """Its body holds the queries that match it as words."""
    words = [word for word, multiple in EVERY.items() if multiple and number % multiple == 0]
    return LogRecord(
        time_unix_nano=time_ns,
        observed_time_unix_nano=time_ns,
        body=AnyValue(string_value=" ".join(words) + _PADDING),
        attributes=[KeyValue(key=NUMBER, value=AnyValue(int_value=number))],
    )


def matching(query: str, numbers: range) -> set[int]:
    """Returns the numbers whose records the query matches."""
    multiple = EVERY[query]
    return {number for number in numbers if number % multiple == 0} if multiple else set()
