"""A request's body as what Kafka gets of it: the part of receiving that takes processor time, as one pure function."""

from dataclasses import dataclass

from ingest.policy.apply import apply_policy
from ingest.policy.policy import Policy
from ingest.receiver.admit import Admission, Window, admit
from ingest.receiver.decode import Encoding, parse, survey
from ingest.receiver.otlp_json import read_json
from logsieve_native import Message
from schema.attribute_rules import TenantRules


@dataclass(frozen=True, slots=True)
class Prepared:
    """`records` counts those the request came with, `dropped` and `masked` the attributes the policy changed."""

    value: bytes
    admission: Admission
    records: int
    dropped: int
    masked: int


def prepare(body: bytes, encoding: Encoding, max_records: int, window: Window, policy: Policy) -> Prepared:
    """Decodes, takes out what cannot be kept, applies the policy. Raises InvalidRequest or TooLarge."""
    value = body if encoding is Encoding.protobuf else read_json(body).SerializeToString()
    message = survey(value, max_records, window.now)
    if not policy.has_rules and window.has_all(message.times):
        return _as_it_came(value, message)
    request = parse(value)
    admission = admit(request, window)
    dropped = masked = 0
    changed = admission.refused > 0
    if policy.has_rules:
        applied = apply_policy(request, policy)
        dropped, masked = applied.dropped, applied.masked
        changed = changed or applied.changed
    return Prepared(request.SerializeToString() if changed else value, admission, message.records, dropped, masked)


def pass_on(body: bytes, max_records: int, window: Window) -> Prepared | None:
    """Protobuf of a tenant without rules, where every record can be kept: the body as it came. None for any other.

    Holds Python's global lock for microseconds, whatever the size. Raises InvalidRequest or TooLarge.
    """
    message = survey(body, max_records, window.now)
    return _as_it_came(body, message) if window.has_all(message.times) else None


def prepare_by_rules(body: bytes, encoding: Encoding, max_records: int, window: Window, rules: TenantRules) -> Prepared:
    """The same in another process, which gets rules more easily than a prepared policy."""
    return prepare(body, encoding, max_records, window, Policy(rules))


HEAVY_PARTS = 50_000
HEAVY_PROTOBUF_BYTES = 2 * 2**20


def is_heavy(body: bytes, encoding: Encoding) -> bool:
    """Whether decoding may hold Python's global lock for a tenth of a second and more in one piece.

    JSON's parts are counted without parsing it; how many protobuf has shows only when it is parsed, so size decides.
    """
    if encoding is Encoding.protobuf:
        return len(body) > HEAVY_PROTOBUF_BYTES
    return len(body) > HEAVY_PARTS and sum(body.count(mark) for mark in (b",", b"{", b"[")) > HEAVY_PARTS


def _as_it_came(value: bytes, message: Message) -> Prepared:
    return Prepared(value, Admission(message.records, 0, 0, 0, 0), message.records, 0, 0)
