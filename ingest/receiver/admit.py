"""Which records of a request can be kept."""

from dataclasses import dataclass

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

DAY_NS = 86_400 * 10**9
SECOND_NS = 10**9


@dataclass(frozen=True, slots=True)
class Window:
    """The times a record may have, in nanoseconds since the Unix epoch, both included."""

    oldest: int
    newest: int
    now: int

    @classmethod
    def at(cls, now: int, retention_days: int, future_tolerance_seconds: int) -> "Window":
        return cls(now - retention_days * DAY_NS, now + future_tolerance_seconds * SECOND_NS, now)

    def has_all(self, times: tuple[int, int] | None) -> bool:
        """Whether records fit whose earliest and latest times these are; None where there are no records."""
        return times is None or (self.oldest <= times[0] and times[1] <= self.newest)


@dataclass(frozen=True, slots=True)
class Admission:
    """How many records are kept, and how many were refused for which reason, with their bytes of protobuf."""

    kept: int
    too_old: int
    too_new: int
    too_old_bytes: int
    too_new_bytes: int

    @property
    def refused(self) -> int:
        return self.too_old + self.too_new

    @property
    def reason(self) -> str:
        """Why records were refused, for the sender; empty where none was."""
        reasons = []
        if self.too_old:
            reasons.append(f"{self.too_old} with a timestamp older than the tenant's retention")
        if self.too_new:
            reasons.append(f"{self.too_new} with a timestamp too far in the future")
        return ", ".join(reasons)


def record_time(record: LogRecord, received_at: int) -> int:
    """When it happened: its time, else when it was observed, else when it arrived here."""
    return record.time_unix_nano or record.observed_time_unix_nano or received_at


def admit(request: ExportLogsServiceRequest, window: Window) -> Admission:
    """Takes the records that cannot be kept out of the request, in place."""
    kept = too_old = too_new = too_old_bytes = too_new_bytes = 0
    for resource_logs in request.resource_logs:
        for scope_logs in resource_logs.scope_logs:
            fitting: list[LogRecord] = []
            for record in scope_logs.log_records:
                time = record_time(record, window.now)
                if time < window.oldest:
                    too_old += 1
                    too_old_bytes += record.ByteSize()
                elif time > window.newest:
                    too_new += 1
                    too_new_bytes += record.ByteSize()
                else:
                    fitting.append(record)
            kept += len(fitting)
            if len(fitting) < len(scope_logs.log_records):
                # Records stay alive when they are taken out of the list; removing them one by one would be quadratic.
                del scope_logs.log_records[:]
                scope_logs.log_records.extend(fitting)
    return Admission(kept, too_old, too_new, too_old_bytes, too_new_bytes)
