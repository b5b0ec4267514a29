"""Decides which records of a request are kept."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from kit.clock import DAY_NS
from kit.errors import TooLarge, Unavailable
from kit.settings import Settings
from logsieve_native import AdmissionControl, Message, Redactor
from schema.refusals import RecordReason

SECOND_NS = 10**9

DAY_NAMES_IN_ALL = 1_000_000
"""Largest number of attribute names that a worker remembers for all tenants together, in about 20 MiB. Beyond it, the
worker forgets all names, and each tenant's count of the day restarts."""

BUSY_BELOW_SECONDS = 4.0
"""Processor time, in seconds, below which redacting that is ended after 5 s was slow because the machine is busy, so
that the sender should send the request again."""

TEXT_MAX_BYTES = 1024
"""Largest number of UTF-8 bytes of a service name, a severity text, an event name, a scope's name or version, and an
attribute name of a record or resource. ClickHouse keeps these texts in dictionaries. Each read, merge and mutation of a
part loads its whole dictionaries, also for other tenants."""


@dataclass(frozen=True, slots=True)
class Window:
    """Earliest and latest allowed time of a record, inclusive, in nanoseconds since the Unix epoch."""

    oldest: int
    newest: int
    now: int

    @classmethod
    def at(cls, now: int, retention_days: int, future_tolerance_seconds: int, kept_from_day: int = 0) -> "Window":
        """Returns the window of a tenant. `kept_from_day` is the first UTC day that the disks let the tenant keep."""
        oldest = max(now - retention_days * DAY_NS, kept_from_day * DAY_NS)
        return cls(oldest, now + future_tolerance_seconds * SECOND_NS, now)


@dataclass(frozen=True, slots=True)
class RefusedRecords:
    """Number and protobuf bytes of the records refused for one reason, and the text of the reason for their sender."""

    reason: RecordReason
    records: int
    size: int
    detail: str


@dataclass(frozen=True, slots=True)
class Admission:
    """Numbers of kept and refused records of a request. `value` is the request with only the kept records.

    `redacted` counts the matches that were replaced in their bodies.
    """

    value: bytes
    kept: int
    refused: tuple[RefusedRecords, ...] = ()
    redacted: int = 0

    @property
    def records_refused(self) -> int:
        return sum(each.records for each in self.refused)

    @property
    def detail(self) -> str:
        """Returns why records were refused, for the sender; empty if none was."""
        return ", ".join(
            f"{each.records} {'record' if each.records == 1 else 'records'} {each.detail}" for each in self.refused
        )


class Admitter:
    """Decides about records, and remembers each tenant's attribute names of the UTC day.

    Each worker counts only the names that it received since its start. May be used by several threads.
    """

    def __init__(self, settings: Settings, processor_seconds: Callable[[], float] = time.thread_time) -> None:
        """`processor_seconds` returns the processor time of the thread that calls it."""
        self._processor_seconds = processor_seconds
        in_record, in_request = settings.record_max_attribute_names, settings.request_max_attribute_names
        in_day = settings.tenant_max_attribute_names_per_day
        self._control = AdmissionControl(in_record, in_request, in_day, max(in_day, DAY_NAMES_IN_ALL), TEXT_MAX_BYTES)
        # The order is that of the reasons' numbers in native code.
        self._details = {
            RecordReason.too_old: "with a timestamp older than the tenant's retention or than the first "
            "day that full disks let it keep (`logsieve tenant storage`)",
            RecordReason.too_new: f"with a timestamp more than {settings.future_tolerance_seconds} s ahead of the "
            "receiver's clock (LOGSIEVE_FUTURE_TOLERANCE_SECONDS; check the sender's clock)",
            RecordReason.severity_number: "with a severity number that is not 0 to 24 (0 is unspecified)",
            RecordReason.record_attribute_names: f"with more than {in_record} distinct attribute names on the record, "
            "its resource or its scope (LOGSIEVE_RECORD_MAX_ATTRIBUTE_NAMES; send the others as one attribute that is "
            "a map)",
            RecordReason.request_attribute_names: "that would take the request above "
            f"{in_request} distinct attribute names (LOGSIEVE_REQUEST_MAX_ATTRIBUTE_NAMES; put what differs from "
            "record to record into values, not names)",
            RecordReason.day_attribute_names: "that would take the tenant above "
            f"{in_day} distinct attribute names on this UTC day (LOGSIEVE_TENANT_MAX_ATTRIBUTE_NAMES_PER_DAY; records "
            "with names sent before are kept; put what differs from record to record into values, not names)",
            RecordReason.text_too_long: "with a severity text, event name, service.name, scope name, scope version or "
            f"attribute name of more than {TEXT_MAX_BYTES} bytes (put long texts into bodies or attribute values)",
        }

    def admit(self, message: Message, tenant_id: int, window: Window, redactor: Redactor | None = None) -> Admission:
        """Returns the request with only the kept records, redacted. If nothing changes, returns the same bytes.

        Raises TooLarge if the tenant's redactions take too long or make a text too long, Unavailable if they took long
        because the machine is busy.
        """
        started = self._processor_seconds()
        oldest = max(window.oldest, 0)
        try:
            value, kept, refused, redacted = self._control.admit(message, tenant_id, oldest, window.newest, redactor)
        except TimeoutError as error:
            if self._processor_seconds() - started < BUSY_BELOW_SECONDS:
                raise Unavailable("the receiver is too busy to redact the request in time; send it again") from None
            raise _cannot_be_stored(error) from None
        except ValueError as error:
            raise _cannot_be_stored(error) from None
        counts = zip(self._details.items(), refused, strict=True)
        return Admission(
            message.value if value is None else value,
            kept,
            tuple(
                RefusedRecords(reason, records, size, detail) for (reason, detail), (records, size) in counts if records
            ),
            redacted,
        )


def _cannot_be_stored(error: Exception) -> TooLarge:
    return TooLarge(f"the request cannot be stored: {error}")
