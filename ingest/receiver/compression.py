"""Undoing Content-Encoding without ever holding more than a request may have."""

import sys
import zlib
from typing import Protocol

from kit.errors import InvalidRequest, TooLarge, UnsupportedMediaType

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_GZIP_WINDOW = 31
_ZLIB_WINDOW = 15
_RAW_WINDOW = -15


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


def decompress(body: bytes, encoding: str, limit: int) -> bytes:
    """The body as it was before the encoding `gzip`, `deflate`, `zstd` or `identity` (also an empty text).

    Raises TooLarge when there are more than `limit` bytes, having made no more than that; InvalidRequest when the
    body is not what the encoding says, or more than one compressed stream; UnsupportedMediaType for other encodings.
    """
    encoding = encoding.strip().lower()
    if encoding in ("", "identity"):
        if len(body) > limit:
            raise too_large(limit)
        return body
    decompressor = _decompressor(body, encoding)
    try:
        plain = decompressor.decompress(body, limit + 1)
    except (zlib.error, zstd.ZstdError) as error:
        raise InvalidRequest(f"the body is not {encoding}: {error}") from None
    if len(plain) > limit:
        raise too_large(limit)
    if not decompressor.eof:
        raise InvalidRequest(f"the {encoding} body ends too early")
    if decompressor.unused_data:
        raise InvalidRequest(f"bytes follow the end of the {encoding} body")
    return plain


def too_large(limit: int) -> TooLarge:
    return TooLarge(f"a request may have {limit} bytes, decompressed")


def _decompressor(body: bytes, encoding: str) -> _Decompressor:
    match encoding:
        case "gzip" | "x-gzip":
            return zlib.decompressobj(_GZIP_WINDOW)
        case "deflate":
            # RFC 9110 means the zlib format; some clients send bare deflate, which never looks like a zlib header.
            is_zlib = len(body) >= 2 and body[0] & 0x0F == 8 and int.from_bytes(body[:2], "big") % 31 == 0
            return zlib.decompressobj(_ZLIB_WINDOW if is_zlib else _RAW_WINDOW)
        case "zstd":
            return zstd.ZstdDecompressor()
        case _:
            raise UnsupportedMediaType(f"content encoding {encoding!r}, expected gzip, deflate, zstd or identity")
