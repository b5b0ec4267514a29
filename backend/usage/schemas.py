"""JSON models of usage."""

from pydantic import BaseModel, Field

from backend.times import format_time
from backend.usage.repository import Interval, UsageSum


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


def counts(each: UsageSum) -> UsageCounts:
    return UsageCounts(outcome=each.outcome, requests=each.requests, records=each.records, bytes=each.bytes)


def interval_counts(each: UsageSum) -> UsageInterval:
    return UsageInterval(**counts(each).model_dump(), start=format_time(each.start * 10**9))
