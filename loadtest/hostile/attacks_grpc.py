"""Attacks on a gRPC port by a client without a key, in frames of HTTP/2 (RFC 9113)."""

import grpc

from ingest.receiver.grpc_traffic import FREE_BYTES
from loadtest.hostile.attacks_http import ANSWER_SECONDS, Ending, Held, Listener, Sent, hold, pour

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEADERS, SETTINGS, PING, CONTINUATION = 1, 4, 6, 9
END_HEADERS = 4
CALL = b"\x83\x86\x44\x03/a/\x41\x04door"
"""HPACK: `:method: POST`, `:scheme: http`, `:path: /a/`, `:authority: listener`."""


def frame(kind: int, payload: bytes, *, flags: int = 0, stream: int = 0, length: int | None = None) -> bytes:
    """Returns an HTTP/2 frame. `length` is the announced size of the payload in bytes, by default the actual size."""
    size = len(payload) if length is None else length
    return size.to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


GREETING = PREFACE + frame(SETTINGS, b"") + frame(SETTINGS, b"", flags=1)
"""First bytes that a client sends: preface, empty settings, and the acknowledgement of the server's settings."""


async def idle(listener: Listener, count: int, seconds: float) -> Held:
    """Opens connections that send the greeting and make no call, like `hold`."""
    return await hold(listener, count, seconds, GREETING)


async def huge_headers(listener: Listener, size: int = 16 * 2**20) -> Sent:
    """Sends a call whose headers have `size` bytes, in small literal fields that are never indexed.

    Returns when the call's status arrives or the port closes the connection.
    """
    head = GREETING + frame(HEADERS, CALL, stream=1)
    field = b"\x10\x01a\x64" + b"a" * 100  # a literal name of 1 byte, a value of 100 bytes
    ending = Ending(frame(CONTINUATION, b"", flags=END_HEADERS, stream=1), lambda answer: status_in(answer) is not None)
    return await pour(listener, head, frame(CONTINUATION, field * 50, stream=1), size, ending)


def status_in(answer: bytes) -> grpc.StatusCode | None:
    """Returns the gRPC status in the server's trailers, or None if there is none.

    Expects the trailers as literals without Huffman coding, as gRPC's C core writes them.
    """
    *_, rest = answer.partition(b"grpc-status")
    if not rest or len(rest) <= rest[0]:
        return None  # The answer may end anywhere, because it is read in pieces.
    digits = rest[1 : 1 + rest[0]].decode("ascii", "replace")
    return next((code for code in grpc.StatusCode if str(code.value[0]) == digits), None)


async def pings(listener: Listener, limit: int = 2 * FREE_BYTES, seconds: float = ANSWER_SECONDS) -> Sent:
    """Sends pings of up to `limit` bytes in all. Waits at most `seconds` for the port to close the connection."""
    return await pour(listener, GREETING, frame(PING, bytes(8)) * 1000, limit, Ending(seconds=seconds))
