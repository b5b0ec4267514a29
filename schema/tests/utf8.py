"""Makes the texts of requests UTF-8 with Python's own decoder and the protocol's descriptors: slow, but easy to
check."""

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from schema.tests.otlp_messages import field


def with_utf8(raw: bytes) -> bytes:
    """Returns the request with U+FFFD for bytes that are not UTF-8; unchanged if it is not a message."""
    try:
        ExportLogsServiceRequest.FromString(raw)
    except DecodeError:
        try:
            return _mended(raw, ExportLogsServiceRequest.DESCRIPTOR)
        except (IndexError, ValueError):
            pass
    return raw


def _mended(raw: bytes, descriptor: Descriptor) -> bytes:
    fields, out, position = {each.number: each for each in descriptor.fields}, b"", 0
    while position < len(raw):
        start = position
        tag, position = _varint(raw, position)
        known = fields.get(tag >> 3)
        if tag & 7 != 2:
            position = _skip(raw, tag, position)
            out += raw[start:position]
            continue
        size, position = _varint(raw, position)
        value, position = raw[position : position + size], position + size
        if position > len(raw):
            raise ValueError("truncated")
        if known is not None and known.type == FieldDescriptor.TYPE_STRING:
            out += field(tag >> 3, value.decode(errors="replace").encode())
        elif known is not None and known.message_type is not None:
            out += field(tag >> 3, _mended(value, known.message_type))
        else:
            out += raw[start:position]
    return out


def _skip(raw: bytes, tag: int, position: int) -> int:
    match tag & 7:
        case 0:
            return _varint(raw, position)[1]
        case 1:
            return position + 8
        case 5:
            return position + 4
        case 3:
            while True:
                inner, position = _varint(raw, position)
                if inner & 7 == 4:
                    return position
                if inner & 7 == 2:
                    size, position = _varint(raw, position)
                    position += size
                else:
                    position = _skip(raw, inner, position)
        case _:
            raise ValueError("no such wire type")


def _varint(raw: bytes, position: int) -> tuple[int, int]:
    number = 0
    for index in range(10):
        byte = raw[position + index]
        number |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return number, position + index + 1
    raise ValueError("too long")
