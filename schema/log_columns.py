"""Rows of a log table, column by column: the loader decodes into this form and inserts it."""

from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(slots=True)
class LogColumns:
    """One list per column, all of the same length, in the order of schema/columns.py.

    Times are nanoseconds since the Unix epoch. Trace ids have 16 bytes and span ids 8, all zero if there is none.
    """

    tenant_id: list[int] = field(default_factory=list)
    cohort: list[str] = field(default_factory=list)
    timestamp: list[int] = field(default_factory=list)
    id: list[int] = field(default_factory=list)
    observed_timestamp: list[int] = field(default_factory=list)
    severity_number: list[int] = field(default_factory=list)
    severity_text: list[str] = field(default_factory=list)
    service: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    body_truncated_bytes: list[int] = field(default_factory=list)
    attributes: list[dict[str, str]] = field(default_factory=list)
    attribute_types: list[str] = field(default_factory=list)
    resource: list[dict[str, str]] = field(default_factory=list)
    resource_types: list[str] = field(default_factory=list)
    scope_name: list[str] = field(default_factory=list)
    scope_version: list[str] = field(default_factory=list)
    trace_id: list[bytes] = field(default_factory=list)
    span_id: list[bytes] = field(default_factory=list)
    flags: list[int] = field(default_factory=list)
    event_name: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.id)

    def extend(self, other: "LogColumns") -> None:
        """Appends the rows of another block."""
        for column, more in zip(self.lists(), other.lists(), strict=True):
            column.extend(more)

    def lists(self) -> list[list[Any]]:
        """Returns the columns in insert order."""
        return [getattr(self, each.name) for each in fields(self)]
