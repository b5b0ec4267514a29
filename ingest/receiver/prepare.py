"""A request's body as what Kafka gets of it: the parts of receiving that take processor time."""

from dataclasses import dataclass

from ingest.policy.apply import apply_policy
from ingest.policy.policy import Policy
from ingest.receiver.admit import Admission, Admitter, Window
from ingest.receiver.decode import Encoding, parse, survey
from ingest.receiver.otlp_json import FEW_PARTS, check_shape, read_json
from ingest.receiver.row_cost import row_cost
from logsieve_native import Redactor
from schema.attribute_rules import TenantRules


@dataclass(frozen=True, slots=True)
class Decoded:
    """An export request in protobuf.

    `replaced` counts the byte sequences that were not UTF-8, `dropped` and `masked` the attributes the policy changed.
    """

    value: bytes
    replaced: int = 0
    dropped: int = 0
    masked: int = 0


@dataclass(frozen=True, slots=True)
class Prepared:
    """`records` counts those the request came with, `replaced` the byte sequences that were not UTF-8.

    `row_cost` is what its rows cost, as ingest.receiver.row_cost says.
    """

    admission: Admission
    records: int
    replaced: int
    row_cost: int


def decode(body: bytes, encoding: Encoding, max_records: int, received_at: int, policy: Policy) -> Decoded:
    """JSON as protobuf, and the policy applied to either. Raises InvalidRequest or TooLarge."""
    value, replaced = body, 0
    if encoding is Encoding.json:
        request, replaced = read_json(body)
        value = request.SerializeToString()
        del request
    if not policy.has_rules:
        return Decoded(value, replaced)
    message = survey(value, max_records, received_at)
    replaced += message.replaced
    request = parse(message.value)
    applied = apply_policy(request, policy)
    value = request.SerializeToString() if applied.changed else message.value
    return Decoded(value, replaced, applied.dropped, applied.masked)


def decode_by_rules(body: bytes, encoding: Encoding, max_records: int, received_at: int, rules: TenantRules) -> Decoded:
    """Like `decode`, for another process, which gets rules more easily than a prepared policy."""
    return decode(body, encoding, max_records, received_at, Policy(rules))


def prepare(  # noqa: PLR0913, PLR0917 all that decides about a record
    value: bytes, max_records: int, window: Window, admitter: Admitter, tenant_id: int, redactor: Redactor | None
) -> Prepared:
    """Replaces what is not UTF-8, takes out the records that cannot be kept and redacts the bodies of the others. The
    bytes are as they came where nothing is to be done.

    Holds Python's global lock for microseconds, whatever the size. Raises InvalidRequest or TooLarge.
    """
    message = survey(value, max_records, window.now)
    admission = admitter.admit(message, tenant_id, window, redactor)
    return Prepared(admission, message.records, message.replaced, row_cost(message))


HEAVY_PROTOBUF_BYTES = 2 * 2**20


def is_heavy(body: bytes, encoding: Encoding) -> bool:
    """Whether decoding may hold Python's global lock for a tenth of a second and more in one piece.

    JSON's parts are counted without parsing it; how many protobuf has shows only when it is parsed, so size decides.
    Raises InvalidRequest or TooLarge for JSON that is nested too deeply or has too many parts.
    """
    if encoding is Encoding.protobuf:
        return len(body) > HEAVY_PROTOBUF_BYTES
    return check_shape(body) > FEW_PARTS
