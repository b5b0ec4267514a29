"""Tests that bodies of very many tiny chunks are refused, and no others."""

import asyncio

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kit.server.config import http_config
from kit.server.limits import HttpLimits
from kit.server.tests.serving import serving
from kit.server.turn_taking import CHUNK_BYTES, TINY_CHUNKS

WAIT_SECONDS = 20.0


def chunked(size: int, count: int, *, last: bool) -> bytes:
    """Returns a request with `count` chunks of `size` bytes."""
    head = b"POST / HTTP/1.1\r\nhost: port\r\ntransfer-encoding: chunked\r\n"
    chunk = b"%x\r\n%b\r\n" % (size, b"a" * size)
    return head + (b"connection: close\r\n" if last else b"") + b"\r\n" + chunk * count + b"0\r\n\r\n"


def answer(requests: bytes) -> bytes:
    """Returns all that a port answers whose application returns the size of each body."""

    async def read(request: Request) -> Response:
        return Response(b"size %d." % len(await request.body()))

    async def ask() -> bytes:
        config = http_config(Starlette(routes=[Route("/", read, methods=["POST"])]), HttpLimits(), 1)
        async with serving(config) as address:
            reader, writer = await asyncio.open_connection(*address)
            try:
                writer.write(requests)
                return await asyncio.wait_for(reader.read(), WAIT_SECONDS)
            finally:
                writer.close()

    return asyncio.run(ask())


def test_a_body_of_very_many_tiny_chunks_is_refused() -> None:
    answered = answer(chunked(CHUNK_BYTES - 1, TINY_CHUNKS + 1, last=True))

    assert answered.startswith(b"HTTP/1.1 413 ")
    assert b"the body has over 20,000 chunks of under 16 bytes" in answered


@pytest.mark.parametrize(("size", "count"), [(1, TINY_CHUNKS), (2 * CHUNK_BYTES, TINY_CHUNKS + 1_000)])
def test_other_bodies_are_read(size: int, count: int) -> None:
    answered = answer(chunked(size, count, last=True))

    assert answered.startswith(b"HTTP/1.1 200 ")
    assert answered.endswith(b"size %d." % (size * count))


def test_chunks_are_counted_for_each_request() -> None:
    first, second = (chunked(1, TINY_CHUNKS - 1, last=last) for last in (False, True))

    assert answer(first + second).count(b"size %d." % (TINY_CHUNKS - 1)) == 2
