"""JSON of usage: its models, and the text of an answer, which is written without a model for each sum."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

import orjson
from pydantic import BaseModel, Field

from backend.times import format_time
from backend.usage.minutes import Interval
from backend.usage.repository import UsageSum, totals


class UsageCounts(BaseModel):
    outcome: str = Field(
        description="`accepted`, or the reason of the refusal: a limit, `too_old`, an error's `code`, …."
    )
    requests: int = Field(description="Number of requests with kept records, or of requests refused as a whole.")
    records: int = Field(description="Number of log records. Refused requests that were not decoded count none.")
    bytes: int = Field(description="Bytes of OTLP protobuf if accepted; bytes announced or read if refused.")


class UsageInterval(UsageCounts):
    start: str = Field(description="Start of the interval, by time of arrival.")


class Usage(BaseModel):
    interval: Interval
    usage: list[UsageInterval]
    totals: list[UsageCounts]


AT_ONCE: Final = 1_000
"""Number of sums that are written at once. Other threads run in between."""


def usage_json(interval: Interval, sums: Sequence[UsageSum]) -> Iterator[bytes]:
    """Yields the parts of the text of a Usage."""
    yield b'{"interval":%s,"usage":[' % orjson.dumps(interval)
    for first in range(0, len(sums), AT_ONCE):
        part = [_counts(each) | {"start": format_time(each.start * 10**9)} for each in sums[first : first + AT_ONCE]]
        yield (b"," if first else b"") + orjson.dumps(part)[1:-1]
    # Totals may exceed the 64 bits that orjson writes, because senders announce the bytes of refused requests.
    totals_text = json.dumps([_counts(each) for each in totals(sums)], separators=(",", ":"), ensure_ascii=False)
    yield b'],"totals":%s}' % totals_text.encode()


def _counts(each: UsageSum) -> dict[str, Any]:
    return {"outcome": each.outcome, "requests": each.requests, "records": each.records, "bytes": each.bytes}
