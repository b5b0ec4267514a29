"""Tests of the encoding chosen by Accept-Encoding (RFC 9110, 12.5.3), and of the compression of long answers."""

import asyncio
import gzip
import random
import sys
import threading
from collections.abc import Callable

import pytest
from starlette.types import Message, Receive, Scope, Send

from kit.server import compress
from kit.server.compress import COMPRESSORS, MAX_ENCODINGS, CompressJson, Compressor, accepted

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


@pytest.mark.parametrize(
    ("header", "encoding"),
    [
        ("", None),
        ("identity", None),
        ("br", None),
        ("gzip", "gzip"),
        ("gzip, deflate, br, zstd", "zstd"),
        ("zstd;q=0.5, gzip", "gzip"),
        ("zstd;q=0, gzip;q=0", None),
        ("*", "zstd"),
        ("*;q=0", None),
        ("zstd;q=0, *", "gzip"),
        ("GZIP;Q=1", "gzip"),
        ("gzip;q=much", None),
        (",".join(["br"] * (MAX_ENCODINGS - 1) + ["gzip"]), "gzip"),
        (",".join(["br"] * MAX_ENCODINGS + ["gzip"]), None),
    ],
)
def test_the_best_that_the_client_takes(header: str, encoding: str | None) -> None:
    assert accepted(header) == encoding


PIECES = [random.Random(1).randbytes(65_536).hex().encode() for _ in range(3)] + [b"short"]


async def in_pieces(_scope: Scope, _receive: Receive, send: Send) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % sum(map(len, PIECES)))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    for piece in PIECES:
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


def answer(encoding: str) -> tuple[dict[bytes, bytes], list[bytes]]:
    """Headers and pieces as the server gets them."""
    sent = list[Message]()

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        raise AssertionError

    scope = {"type": "http", "headers": [(b"accept-encoding", encoding.encode())]}
    asyncio.run(CompressJson(in_pieces)(scope, receive, send))
    assert [each["more_body"] for each in sent[1:]] == [True] * (len(sent) - 2) + [False]
    return dict(sent[0]["headers"]), [each["body"] for each in sent[1:]]


@pytest.mark.parametrize(("encoding", "decompress"), [("gzip", gzip.decompress), ("zstd", zstd.decompress)])
def test_a_long_answer_is_compressed_piece_by_piece_off_the_event_loop(
    encoding: str, decompress: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = set[int]()

    class Noted:
        """Notes the threads that compress."""

        def __init__(self) -> None:
            self._compressor: Compressor = COMPRESSORS[encoding]()

        def compress(self, data: bytes, /) -> bytes:
            threads.add(threading.get_ident())
            return self._compressor.compress(data)

        def flush(self) -> bytes:
            threads.add(threading.get_ident())
            return self._compressor.flush()

    monkeypatch.setattr(compress, "COMPRESSORS", {encoding: Noted})
    headers, bodies = answer(encoding)
    assert headers[b"content-encoding"] == encoding.encode()
    assert headers[b"vary"] == b"Accept-Encoding"
    assert b"content-length" not in headers
    assert len([body for body in bodies if body]) > 1, "it does not wait for the whole answer"
    assert decompress(b"".join(bodies)) == b"".join(PIECES)
    assert sum(map(len, bodies)) < 0.7 * sum(map(len, PIECES))
    assert threads
    assert threading.get_ident() not in threads


def test_a_long_answer_stays_as_it_is_for_a_client_that_takes_no_encoding() -> None:
    headers, bodies = answer("identity")
    assert bodies == [*PIECES, b""]
    assert b"content-length" in headers
    assert b"content-encoding" not in headers
