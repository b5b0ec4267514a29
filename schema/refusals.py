"""Counts of refused requests and records, which receivers send to the loader in a header of a message without
records."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

_LINE = re.compile(r"(\d{1,19}) ([a-z_]{1,40}) (\d{1,19}) (\d{1,19}) (\d{1,19})", re.ASCII)
_LARGEST = 2**63
_LAST_MINUTE = 2**32 // 60
"""Last minute that ClickHouse's DateTime holds."""


class RecordReason(StrEnum):
    """Reason for refusing a single record of an accepted request. The order is that of native/src/admit.rs."""

    too_old = "too_old"
    too_new = "too_new"
    severity_number = "severity_number"
    record_attribute_names = "record_attribute_names"
    request_attribute_names = "request_attribute_names"
    day_attribute_names = "day_attribute_names"
    text_too_long = "text_too_long"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Refusals of one tenant in one minute (since the Unix epoch) for one reason.

    `requests` counts requests that were refused as a whole; their records are not counted.
    `size` is in bytes, as far as they were announced or read.
    """

    minute: int
    reason: str
    requests: int
    records: int
    size: int

    @classmethod
    def parse(cls, line: str) -> Self:
        """Parses one line. Raises ValueError."""
        match = _LINE.fullmatch(line)
        if match is None:
            raise ValueError(f"{line[:100]!r} is not a refusal")
        minute, requests, records, size = (int(match[group]) for group in (1, 3, 4, 5))
        if minute >= _LAST_MINUTE or max(requests, records, size) >= _LARGEST:
            raise ValueError(f"{line[:100]!r} has numbers out of range")
        return cls(minute, match[2], requests, records, size)


def write_refusals(refusals: Sequence[Refusal]) -> bytes:
    """Returns the refusals as text, one on each line."""
    lines = [f"{each.minute} {each.reason} {each.requests} {each.records} {each.size}" for each in refusals]
    return "\n".join(lines).encode()


def read_refusals(text: bytes) -> tuple[Refusal, ...]:
    """Parses the text of `write_refusals`. Raises ValueError for any other text."""
    return tuple(Refusal.parse(line) for line in text.decode("ascii").split("\n")) if text else ()
