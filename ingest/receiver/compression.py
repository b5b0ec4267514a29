"""Decompresses request bodies. Never holds more decompressed bytes than a request may have."""

import sys
import zlib
from typing import Protocol

from kit.errors import InvalidRequest, TooLarge, UnsupportedMediaType

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MAX_STREAMS = 10_000
"""Largest number of compressed streams in one body. Each costs microseconds, and an empty one has only 20 bytes."""

_PIECE_BYTES = 64 * 1024
"""Bytes decompressed in one piece after the first stream."""

_MAGIC = {"gzip": b"\x1f\x8b", "x-gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}
_GZIP_WINDOW = 31
_ZLIB_WINDOW = 15
_RAW_WINDOW = -15


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes | memoryview, max_length: int, /) -> bytes: ...


def decompress(body: bytes, encoding: str, limit: int) -> bytes:
    """Returns the decompressed body. `encoding` is `gzip`, `deflate` or `zstd`.

    Raises TooLarge for more than `limit` bytes, and never produces more; InvalidRequest if the body is not in the
    encoding; UnsupportedMediaType for other encodings.
    """
    encoding = encoding.strip().lower()
    try:
        return _decompress(body, encoding, limit)
    except (zlib.error, zstd.ZstdError) as error:
        raise InvalidRequest(f"the body is not {encoding}: {error}") from None


def is_costly(body: bytes, encoding: str) -> bool:
    """Returns whether decompressing the body may take long although it fails. A body without the first bytes of its
    encoding fails at once."""
    encoding = encoding.strip().lower()
    return encoding == "deflate" or (encoding in _MAGIC and body.startswith(_MAGIC[encoding]))


def _decompress(body: bytes, encoding: str, limit: int) -> bytes:
    """Decompresses one stream after the other: gzip and zstd allow several (RFC 1952, RFC 8878)."""
    decompressor = _decompressor(body, encoding)
    plain = decompressor.decompress(body, limit + 1)
    if len(plain) > limit:
        raise too_large(limit)
    if not decompressor.eof:
        raise _incomplete(encoding)
    end = len(body) - len(decompressor.unused_data)
    return plain if end == len(body) else plain + _following(body, end, encoding, limit, len(plain))


def _incomplete(encoding: str) -> InvalidRequest:
    return InvalidRequest(f"the {encoding} body is incomplete: its data ends before its end mark; send it whole")


def _following(body: bytes, position: int, encoding: str, limit: int, size: int) -> bytes:
    """Returns the content of the streams after the first one, whose content has `size` bytes. Reads the body in small
    pieces, because the decompressor copies all bytes behind the end of a stream, and there may be thousands of
    streams."""
    view, plain = memoryview(body), bytearray()
    for _ in range(1, MAX_STREAMS):
        if not body.startswith(_MAGIC.get(encoding, ()), position):
            left = len(body) - position
            raise InvalidRequest(f"{left} bytes that are not {encoding} follow the {encoding} body: send it alone")
        decompressor = _decompressor(body, encoding)
        while not decompressor.eof:
            piece = view[position : position + _PIECE_BYTES]
            if not piece:
                raise _incomplete(encoding)
            position += len(piece)
            plain += decompressor.decompress(piece, limit + 1 - size - len(plain))
            if size + len(plain) > limit:
                raise too_large(limit)
        position -= len(decompressor.unused_data)
        if position == len(body):
            return bytes(plain)
    raise InvalidRequest(
        f"a {encoding} body may have at most {MAX_STREAMS} compressed streams, but this one has more; compress the body"
        " as one stream"
    )


def too_large(limit: int) -> TooLarge:
    return TooLarge(
        f"a request may have at most {limit} bytes after decompression, but this one has more; send smaller requests"
    )


def _decompressor(body: bytes, encoding: str) -> _Decompressor:
    match encoding:
        case "gzip" | "x-gzip":
            return zlib.decompressobj(_GZIP_WINDOW)
        case "deflate":
            # By RFC 9110 this is the zlib format. Some clients send raw deflate, which never looks like a zlib header.
            is_zlib = len(body) >= 2 and body[0] & 0x0F == 8 and int.from_bytes(body[:2], "big") % 31 == 0
            return zlib.decompressobj(_ZLIB_WINDOW if is_zlib else _RAW_WINDOW)
        case "zstd":
            return zstd.ZstdDecompressor()
        case _:
            raise UnsupportedMediaType(
                f"the content encoding is {encoding[:80]!r}; it must be gzip, deflate, zstd or identity"
            )
