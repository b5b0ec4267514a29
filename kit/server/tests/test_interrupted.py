"""Tests what clients get whose requests take longer than a shutdown waits."""

import asyncio

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kit.server.config import http_config
from kit.server.limits import HttpLimits
from kit.server.tests.serving import serving


def test_a_request_that_waits_for_something_else_that_was_cancelled_fails() -> None:
    async def ask() -> bytes:
        async def fail(_request: Request) -> Response:
            other = asyncio.get_running_loop().create_future()
            other.cancel()
            await other
            raise AssertionError

        config = http_config(Starlette(routes=[Route("/", fail)]), HttpLimits(), 1)
        async with serving(config) as address:
            reader, writer = await asyncio.open_connection(*address)
            writer.write(b"GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
            try:
                return await asyncio.wait_for(reader.read(), 20)
            finally:
                writer.close()

    assert asyncio.run(ask()).startswith(b"HTTP/1.1 500 ")


def test_a_request_that_a_shutdown_interrupts_is_to_be_sent_again() -> None:
    async def interrupt() -> bytes:
        has_begun = asyncio.Event()

        async def hang(_request: Request) -> Response:
            has_begun.set()
            await asyncio.Event().wait()
            raise AssertionError

        config = http_config(Starlette(routes=[Route("/", hang)]), HttpLimits(), 1)
        async with serving(config) as address:
            reader, writer = await asyncio.open_connection(*address)
            writer.write(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n")
            await has_begun.wait()
        try:
            return await asyncio.wait_for(reader.read(), 20)
        finally:
            writer.close()

    answer = asyncio.run(interrupt())
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert b"\r\nretry-after: 5\r\n" in answer
    assert b"send the request again" in answer
