"""A request's body as what Kafka gets of it: the part of receiving that takes processor time, as one pure function."""

from dataclasses import dataclass

from ingest.policy.apply import apply_policy
from ingest.policy.policy import Policy
from ingest.receiver.admit import Admission, Window, admit
from ingest.receiver.decode import Encoding, count_records, decode
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
    request = decode(body, encoding, max_records)
    records = count_records(request)
    admission = admit(request, window)
    dropped = masked = 0
    as_it_came = encoding is Encoding.protobuf and not admission.refused
    if policy.has_rules:
        applied = apply_policy(request, policy)
        dropped, masked = applied.dropped, applied.masked
        as_it_came = as_it_came and not applied.changed
    return Prepared(body if as_it_came else request.SerializeToString(), admission, records, dropped, masked)


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
