"""Decides which records of a request can be kept."""

from dataclasses import dataclass

from kit.errors import TooLarge
from kit.settings import Settings
from logsieve_native import Door, Message, Redactor
from schema.refusals import RecordReason

DAY_NS = 86_400 * 10**9
SECOND_NS = 10**9

DAY_NAMES_IN_ALL = 1_000_000
"""Attribute names a worker remembers of all tenants together, in some 20 MiB. Where there would be more, the worker
forgets all of them, and each tenant's day begins anew."""


@dataclass(frozen=True, slots=True)
class Window:
    """The times a record may have, in nanoseconds since the Unix epoch, both included."""

    oldest: int
    newest: int
    now: int

    @classmethod
    def at(cls, now: int, retention_days: int, future_tolerance_seconds: int) -> "Window":
        return cls(now - retention_days * DAY_NS, now + future_tolerance_seconds * SECOND_NS, now)


@dataclass(frozen=True, slots=True)
class RefusedRecords:
    """Records refused for one reason, their bytes of protobuf, and the reason for their sender."""

    reason: RecordReason
    records: int
    size: int
    detail: str


@dataclass(frozen=True, slots=True)
class Admission:
    """Numbers of the records of a request that are kept and refused. `value` is the request with the records that are
    kept.

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
        """Why records were refused, for the sender; empty where none was."""
        return ", ".join(f"{each.records} {each.detail}" for each in self.refused)


class Admitter:
    """Decides about records, and remembers each tenant's attribute names of the UTC day.

    Each worker counts the names that it received since its start. May be used by several threads at once.
    """

    def __init__(self, settings: Settings) -> None:
        in_record, in_request = settings.record_max_attribute_names, settings.request_max_attribute_names
        in_day = settings.tenant_max_attribute_names_per_day
        self._door = Door(in_record, in_request, in_day, max(in_day, DAY_NAMES_IN_ALL))
        # In the order in which native code numbers its reasons.
        self._details = {
            RecordReason.too_old: "with a timestamp older than the tenant's retention",
            RecordReason.too_new: "with a timestamp too far in the future",
            RecordReason.severity_number: "with a severity number that is not 0 to 24 (0 is unspecified)",
            RecordReason.record_attribute_names: f"with more than {in_record} distinct attribute names on the record, "
            "its resource or its scope (LOGSIEVE_RECORD_MAX_ATTRIBUTE_NAMES; send the others as one attribute that is "
            "a map)",
            RecordReason.request_attribute_names: "with names beyond the request's "
            f"{in_request} distinct attribute names (LOGSIEVE_REQUEST_MAX_ATTRIBUTE_NAMES; put what differs from "
            "record to record into values, not names)",
            RecordReason.day_attribute_names: "with names beyond the tenant's "
            f"{in_day} distinct attribute names of this UTC day (LOGSIEVE_TENANT_MAX_ATTRIBUTE_NAMES_PER_DAY; records "
            "with names sent before are kept; put what differs from record to record into values, not names)",
        }

    def admit(self, message: Message, tenant_id: int, window: Window, redactor: Redactor | None = None) -> Admission:
        """Returns the request with the records that can be kept, redacted; the same bytes where nothing changed.

        Raises TooLarge where the tenant's redactions take too long.
        """
        oldest = max(window.oldest, 0)
        try:
            value, kept, refused, redacted = self._door.admit(message, tenant_id, oldest, window.newest, redactor)
        except ValueError:
            raise TooLarge(
                "the tenant's redactions took longer than the 5 s that a request has for them; send smaller requests, "
                "or simplify the expressions that `logsieve policy redactions` shows"
            ) from None
        counts = zip(self._details.items(), refused, strict=True)
        return Admission(
            message.value if value is None else value,
            kept,
            tuple(
                RefusedRecords(reason, records, size, detail) for (reason, detail), (records, size) in counts if records
            ),
            redacted,
        )
