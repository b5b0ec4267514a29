"""Attacks by the size and the structure of a request's body."""

import sys
import zlib
from typing import Final, Protocol

from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from loadtest.hostile.attack import TOO_SLOW, Act, Attacks, Effort, Target
from loadtest.hostile.content import export
from loadtest.hostile.posting import JSON, PROTOBUF, export_headers, posts

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ATTACKS: Final = Attacks()
REQUEST_BYTES: Final = 16 * 2**20
"""Largest request that the receiver accepts, in decompressed bytes: the default of LOGSIEVE_REQUEST_MAX_BYTES."""

_ZEROS: Final = bytes(2**20)
_BOMB_PIECES: Final = 256
"""Number of times that a decompressed bomb contains `_ZEROS`."""
_DEEP_JSON: Final = 100_000
_DEEP_PROTOBUF: Final = 5_000
"""Number of nested arrays. Each adds two levels of protobuf messages."""


@ATTACKS.add("oversized protobuf", "more than 16 MiB", "413", also=TOO_SLOW)
def oversized(target: Target, effort: Effort) -> Act:
    record = LogRecord(body=AnyValue(string_value="x" * REQUEST_BYTES))
    body = export([record])
    return posts(target.otlp_http, effort, body, export_headers(target.ingest_keys[0]))


@ATTACKS.add("oversized JSON", "more than 16 MiB", "413", also=TOO_SLOW)
def oversized_json(target: Target, effort: Effort) -> Act:
    body = b'{"resourceLogs":[' + b" " * REQUEST_BYTES + b"]}"
    return posts(target.otlp_http, effort, body, export_headers(target.ingest_keys[0], JSON))


@ATTACKS.add("deep JSON", "100,000 arrays inside each other", "400", also=TOO_SLOW)
def deep_json(target: Target, effort: Effort) -> Act:
    """Sends nested arrays, which overflow the stack of a recursive decoder."""
    body = b'{"resourceLogs":' + b"[" * _DEEP_JSON + b"]" * _DEEP_JSON + b"}"
    return posts(target.otlp_http, effort, body, export_headers(target.ingest_keys[0], JSON))


@ATTACKS.add("deep protobuf", "5,000 arrays inside each other", "400")
def deep_protobuf(target: Target, effort: Effort) -> Act:
    value = AnyValue(string_value="x").SerializeToString()
    for _ in range(_DEEP_PROTOBUF):
        value = _field(5, _field(1, value))  # AnyValue.array_value, ArrayValue.values
    body = _field(1, _field(2, _field(2, _field(5, value))))  # resource_logs, scope_logs, log_records, body
    return posts(target.otlp_http, effort, body, export_headers(target.ingest_keys[0]))


@ATTACKS.add("gzip bomb", "256 MiB of zeros", "413", also=TOO_SLOW)
def gzip_bomb(target: Target, effort: Effort) -> Act:
    return _bomb(target, effort, "gzip", _deflated(zlib.compressobj(9, zlib.DEFLATED, 31)))


@ATTACKS.add("deflate bomb", "256 MiB of zeros", "413", also=TOO_SLOW)
def deflate_bomb(target: Target, effort: Effort) -> Act:
    return _bomb(target, effort, "deflate", _deflated(zlib.compressobj(9)))


@ATTACKS.add("zstd bomb", "256 MiB of zeros", "413", also=TOO_SLOW)
def zstd_bomb(target: Target, effort: Effort) -> Act:
    compressor = zstd.ZstdCompressor()
    pieces = [compressor.compress(_ZEROS) for _ in range(_BOMB_PIECES)]
    return _bomb(target, effort, "zstd", b"".join((*pieces, compressor.flush())))


@ATTACKS.add("bodies without a key", "16 MiB each", "401")
def keyless(target: Target, effort: Effort) -> Act:
    return posts(target.otlp_http, effort, bytes(REQUEST_BYTES), {"content-type": PROTOBUF})


class _Compressor(Protocol):
    def compress(self, data: bytes, /) -> bytes: ...

    def flush(self, mode: int, /) -> bytes: ...


def _deflated(compressor: _Compressor) -> bytes:
    """Returns `_BOMB_PIECES` times `_ZEROS`, compressed.

    Only two pieces are compressed, because the bytes after a full flush do not depend on earlier bytes. The final
    checksum is missing, because no receiver should read that far.
    """
    first, again = (compressor.compress(_ZEROS) + compressor.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return first + again * (_BOMB_PIECES - 1)


def _bomb(target: Target, effort: Effort, encoding: str, body: bytes) -> Act:
    return posts(target.otlp_http, effort, body, export_headers(target.ingest_keys[0], encoding=encoding))


def _field(number: int, content: bytes) -> bytes:
    """Encodes a length-delimited protobuf field: its number (below 16), the length as a varint, and the bytes."""
    length, size = len(content), bytearray([number << 3 | 2])
    while length > 0x7F:
        size.append(length & 0x7F | 0x80)
        length >>= 7
    size.append(length)
    return bytes(size) + content
