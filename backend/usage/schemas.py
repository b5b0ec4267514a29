"""JSON models of usage."""

from pydantic import BaseModel, Field

from backend.times import format_time
from backend.usage.repository import Interval, UsageSum


class UsageCounts(BaseModel):
    outcome: str = Field(description="`accepted`, or why it was refused: a limit, `too_old`, an error's `code`, ….")
    requests: int = Field(description="Requests that kept records, or were refused as a whole.")
    records: int = Field(description="Log records, as far as refused requests were decoded.")
    bytes: int = Field(description="Of OTLP protobuf where accepted; as announced or read where refused.")


class UsageInterval(UsageCounts):
    start: str = Field(description="When the interval starts, by the time of arrival.")


class Usage(BaseModel):
    interval: Interval
    usage: list[UsageInterval]
    totals: list[UsageCounts]


def counts(each: UsageSum) -> UsageCounts:
    return UsageCounts(outcome=each.outcome, requests=each.requests, records=each.records, bytes=each.bytes)


def interval_counts(each: UsageSum) -> UsageInterval:
    return UsageInterval(**counts(each).model_dump(), start=format_time(each.start * 10**9))
