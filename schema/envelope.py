"""Headers of a Kafka message, which say where the loader stores the rows.

The receiver writes into them, once, everything from the control plane that determines a message's rows. So the rows are
a pure function of the message: if a tenant changes cohort between an insert and its repetition, the repetition has the
same rows. The message's value is an ExportLogsServiceRequest (protobuf). Its key begins with the tenant's id and only
decides the partition.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Self

from kit.errors import Internal
from schema.kafka_message import Headers
from schema.refusals import Refusal, read_refusals, write_refusals

VERSION = 1


class Fault(StrEnum):
    """Reason why a message gives no rows: stable codes, kept in dead letters and used as a metric label."""

    envelope = "envelope"  # a header is missing or malformed
    envelope_version = "envelope_version"  # a version that this code does not know
    not_otlp = "not_otlp"  # the value is not an export request
    too_large = "too_large"  # its rows have more than MAX_LOADED_ROW_BYTES, or it has more than MAX_NESTED_VALUES
    insert_limit = "insert_limit"  # ClickHouse could not insert its rows, even alone, within an insert's limits
    internal = "internal"  # a bug of ours


class Undecodable(Internal):
    """The Kafka message was not written by Logsieve, or is damaged."""

    def __init__(self, detail: str, fault: Fault = Fault.envelope) -> None:
        super().__init__(detail)
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Envelope:
    """The headers, typed. `received_at` is in nanoseconds since the Unix epoch; `body_max_bytes` counts bytes of UTF-8.

    `refusals` are counts of refused requests that a receiver reports. They travel in a message with an empty value,
    which readers decode as a request without records.
    """

    tenant_id: int
    lane: int
    cohort: str
    body_max_bytes: int
    received_at: int
    refusals: tuple[Refusal, ...] = ()

    VERSION_HEADER: ClassVar[str] = "logsieve-version"

    def headers(self) -> Headers:
        """Returns the envelope as Kafka headers."""
        headers: Headers = [
            (self.VERSION_HEADER, str(VERSION).encode()),
            ("tenant_id", str(self.tenant_id).encode()),
            ("lane", str(self.lane).encode()),
            ("cohort", self.cohort.encode()),
            ("body_max_bytes", str(self.body_max_bytes).encode()),
            ("received_at", str(self.received_at).encode()),
        ]
        if self.refusals:
            headers.append(("refusals", write_refusals(self.refusals)))
        return headers

    @classmethod
    def from_headers(cls, headers: Headers | None) -> Self:
        """Parses the headers. Raises Undecodable if one is missing, malformed or of an unknown version."""
        found = {name: value.encode() if isinstance(value, str) else value for name, value in headers or ()}
        version = _number(found, cls.VERSION_HEADER, 2**16)
        if version != VERSION:
            raise Undecodable(
                f"the message has envelope version {version}, but this release reads {VERSION}", Fault.envelope_version
            )
        try:
            cohort = (found.get("cohort") or b"").decode()
        except UnicodeDecodeError:
            raise Undecodable("header cohort is not UTF-8") from None
        if not cohort:
            raise Undecodable("header cohort is missing")
        try:
            refusals = read_refusals(found.get("refusals") or b"")
        except ValueError as error:
            raise Undecodable(f"header refusals: {error}") from None
        return cls(
            tenant_id=_number(found, "tenant_id", 2**32),
            lane=_number(found, "lane", 2**16),
            cohort=cohort,
            body_max_bytes=_number(found, "body_max_bytes", 2**32),
            received_at=_number(found, "received_at", 2**63),
            refusals=refusals,
        )


def _number(headers: dict[str, bytes | None], name: str, limit: int) -> int:
    text = headers.get(name)
    if text is None:
        raise Undecodable(f"header {name} is missing")
    if not text.isdigit() or len(text) > 19 or int(text) >= limit:
        raise Undecodable(f"header {name} is not a number below {limit}")
    return int(text)
