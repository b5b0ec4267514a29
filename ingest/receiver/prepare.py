"""Prepares an export request in protobuf for Kafka: the steps of receiving that take processor time."""

from dataclasses import dataclass

from ingest.policy.apply import Applied, Policy
from ingest.receiver.admit import Admission, Admitter, Window
from ingest.receiver.row_cost import row_cost
from ingest.receiver.survey import survey
from kit.errors import TooLarge
from logsieve_native import Redactor
from schema.request_size import MAX_ROW_BYTES


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request as Kafka gets it, and counts of the changes.

    `records` counts the records received, `replaced` the byte sequences that were not UTF-8. `dropped` and `masked`
    count the attributes that the policy changed. `row_cost` is the cost of its rows in bytes
    (ingest.receiver.row_cost).
    """

    admission: Admission
    records: int
    replaced: int
    dropped: int
    masked: int
    row_cost: int


def prepare(  # noqa: PLR0913, PLR0917 all that decides about a record
    value: bytes,
    max_records: int,
    window: Window,
    admitter: Admitter,
    tenant_id: int,
    redactor: Redactor | None,
    policy: Policy | None = None,
) -> Prepared:
    """Replaces bytes that are not UTF-8, drops and masks attributes, removes records that cannot be kept, and redacts
    bodies.

    If none of this changes anything, returns the original bytes. Takes Python's global lock for microseconds, for any
    size. Raises InvalidRequest or TooLarge.
    """
    message = survey(value, max_records, window.now)
    applied = Applied(message) if policy is None else policy.apply(message)
    admission = admitter.admit(applied.message, tenant_id, window, redactor)
    # Masked values and redacted texts can be longer than the texts that they replace. The loader would refuse a message
    # that became too large.
    grown = max(0, len(admission.value) - len(applied.message.value))
    if applied.message.row_bytes + grown > MAX_ROW_BYTES:
        raise TooLarge(
            f"the rows of the request would have more than {MAX_ROW_BYTES:,} bytes after the attribute rules and "
            "redactions; send smaller requests"
        )
    cost = row_cost(applied.message)
    return Prepared(admission, message.records, message.replaced, applied.dropped, applied.masked, cost)
