"""Attacks by the size and the shape of a request's body."""

import sys
import zlib
from typing import Final, Protocol

from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from loadtest.hostile.attack import Act, Effort, Target
from loadtest.hostile.content import export
from loadtest.hostile.posting import JSON, PROTOBUF, export_headers, posts

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

REQUEST_BYTES: Final = 16 * 2**20
"""Largest request, decompressed: the default of LOGSIEVE_REQUEST_MAX_BYTES."""

_BOMB_BYTES: Final = 2**28
"""Bytes of zeros that a bomb becomes."""
_ZEROS: Final = bytes(2**20)
_DEEP_JSON: Final = 100_000
_DEEP_PROTOBUF: Final = 5_000
"""Arrays inside each other. Each costs two levels of messages, and the length of what is in it twice."""


def oversized(target: Target, effort: Effort) -> Act:
    """A few bytes more of protobuf than a request may have."""
    record = LogRecord(body=AnyValue(string_value="x" * REQUEST_BYTES))
    body = export([record])
    return posts(target.otlp_http, effort, body, export_headers(target.ingest_keys[0]))


def oversized_json(target: Target, effort: Effort) -> Act:
    """JSON with more blanks than a request may have bytes."""
    body = b'{"resourceLogs":[' + b" " * REQUEST_BYTES + b"]}"
    return posts(target.otlp_http, effort, body, export_headers(target.ingest_keys[0], JSON))


def deep_json(target: Target, effort: Effort) -> Act:
    """Arrays inside arrays, which a recursive decoder follows to the end of its stack."""
    body = b'{"resourceLogs":' + b"[" * _DEEP_JSON + b"]" * _DEEP_JSON + b"}"
    return posts(target.otlp_http, effort, body, export_headers(target.ingest_keys[0], JSON))


def deep_protobuf(target: Target, effort: Effort) -> Act:
    """The same as protobuf: a body that is an array of an array of …"""
    value = AnyValue(string_value="x").SerializeToString()
    for _ in range(_DEEP_PROTOBUF):
        value = _field(5, _field(1, value))  # AnyValue.array_value, ArrayValue.values
    body = _field(1, _field(2, _field(2, _field(5, value))))  # resource_logs, scope_logs, log_records, body
    return posts(target.otlp_http, effort, body, export_headers(target.ingest_keys[0]))


def gzip_bomb(target: Target, effort: Effort) -> Act:
    return _bomb(target, effort, "gzip", zlib.compressobj(9, zlib.DEFLATED, 31))


def deflate_bomb(target: Target, effort: Effort) -> Act:
    return _bomb(target, effort, "deflate", zlib.compressobj(9))


def zstd_bomb(target: Target, effort: Effort) -> Act:
    return _bomb(target, effort, "zstd", zstd.ZstdCompressor())


def keyless(target: Target, effort: Effort) -> Act:
    """Bodies of the largest size without a key."""
    return posts(target.otlp_http, effort, bytes(REQUEST_BYTES), {"content-type": PROTOBUF})


class _Compressor(Protocol):
    def compress(self, data: bytes, /) -> bytes: ...

    def flush(self) -> bytes: ...


def _bomb(target: Target, effort: Effort, encoding: str, compressor: _Compressor) -> Act:
    pieces = [compressor.compress(_ZEROS) for _ in range(_BOMB_BYTES // len(_ZEROS))]
    body = b"".join((*pieces, compressor.flush()))
    return posts(target.otlp_http, effort, body, export_headers(target.ingest_keys[0], encoding=encoding))


def _field(number: int, content: bytes) -> bytes:
    """A field of protobuf that holds bytes: its number, their length as a varint, and they themselves."""
    length, size = len(content), bytearray([number << 3 | 2])
    while length > 0x7F:
        size.append(length & 0x7F | 0x80)
        length >>= 7
    size.append(length)
    return bytes(size) + content
