"""Describes one dead letter for people: the reason, and all parts that can be decoded."""

from dataclasses import dataclass

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from schema.dead_letter import DeadLetter, as_bytes
from schema.envelope import Envelope, Undecodable


@dataclass(frozen=True, slots=True)
class Description:
    """A decoded letter. `headers` are the original ones. `envelope` and `request` are None if they cannot be
    decoded."""

    origin: str
    topic_id: str
    code: str
    reason: str
    headers: dict[str, str]
    envelope: Envelope | None
    request: dict[str, object] | None
    value: bytes


def describe(letter: DeadLetter) -> Description:
    """Decodes each part of the letter by itself, so that one broken part does not hide the others."""
    return Description(
        origin=letter.origin.text,
        topic_id=letter.origin.topic_id,
        code=letter.code,
        reason=letter.reason,
        headers={name: as_bytes(content).decode(errors="backslashreplace") for name, content in letter.headers},
        envelope=_envelope(letter),
        request=_request(letter.value or b""),
        value=letter.value or b"",
    )


def _envelope(letter: DeadLetter) -> Envelope | None:
    try:
        return Envelope.from_headers(letter.headers)
    except Undecodable:
        return None


def _request(value: bytes) -> dict[str, object] | None:
    try:
        request = ExportLogsServiceRequest.FromString(value)
    except DecodeError:
        return None
    return dict(MessageToDict(request))
