"""An export request in protobuf as what Kafka gets of it: the parts of receiving that take processor time."""

from dataclasses import dataclass

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from ingest.policy.apply import apply_policy
from ingest.policy.policy import Policy
from ingest.receiver.admit import Admission, Admitter, Window
from ingest.receiver.row_cost import row_cost
from ingest.receiver.survey import survey
from kit.errors import InvalidRequest
from logsieve_native import Redactor
from schema.attribute_rules import TenantRules

HEAVY_BYTES = 2 * 2**20
"""Bytes of protobuf from which on a policy may hold Python's global lock for a tenth of a second in one piece. How many
parts a message has shows only when it is parsed, so its size decides."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """An export request in protobuf, after the attribute policy.

    `replaced` counts the byte sequences that were not UTF-8, `dropped` and `masked` the attributes the policy changed.
    """

    value: bytes
    replaced: int = 0
    dropped: int = 0
    masked: int = 0


@dataclass(frozen=True, slots=True)
class Prepared:
    """`records` counts those the request came with, `replaced` the byte sequences that were not UTF-8.

    `row_cost` is the bytes its rows cost, as ingest.receiver.row_cost counts them.
    """

    admission: Admission
    records: int
    replaced: int
    row_cost: int


def parse(value: bytes) -> ExportLogsServiceRequest:
    """Returns an export request as an object that can be changed. Raises InvalidRequest."""
    request = ExportLogsServiceRequest()
    try:
        request.ParseFromString(value)
    except DecodeError as error:
        raise InvalidRequest(f"the body is not an OTLP export request: {error}") from None
    return request


def apply_rules(value: bytes, max_records: int, received_at: int, policy: Policy) -> Decoded:
    """Drops and masks attributes of an export request. Raises InvalidRequest or TooLarge."""
    message = survey(value, max_records, received_at)
    request = parse(message.value)
    applied = apply_policy(request, policy)
    changed = request.SerializeToString() if applied.changed else message.value
    return Decoded(changed, message.replaced, applied.dropped, applied.masked)


def apply_unprepared_rules(value: bytes, max_records: int, received_at: int, rules: TenantRules) -> Decoded:
    """Prepares the rules and applies them, for another process, to which rules can be passed and a policy cannot."""
    return apply_rules(value, max_records, received_at, Policy(rules))


def prepare(  # noqa: PLR0913, PLR0917 all that decides about a record
    value: bytes, max_records: int, window: Window, admitter: Admitter, tenant_id: int, redactor: Redactor | None
) -> Prepared:
    """Replaces bytes that are not UTF-8, takes out the records that cannot be kept and redacts the bodies of the
    others. Where none of this changes anything, returns the bytes as they came.

    Takes Python's global lock for microseconds, for any size. Raises InvalidRequest or TooLarge.
    """
    message = survey(value, max_records, window.now)
    admission = admitter.admit(message, tenant_id, window, redactor)
    return Prepared(admission, message.records, message.replaced, row_cost(message))
