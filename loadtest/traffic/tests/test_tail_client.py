"""Tests that an error among many live tails is raised as it is: commands show errors of Logsieve as sentences."""

import asyncio
from collections.abc import AsyncIterator, Callable

import httpx2
import pytest

from kit.errors import Internal, Unavailable
from loadtest.traffic.tail_client import TailClient, following


def open_tail(request: httpx2.Request) -> httpx2.Response:
    """Answers with one event, and ends the connection."""

    async def events() -> AsyncIterator[bytes]:
        yield b"id: 1\nevent: open\n\n"

    return httpx2.Response(200, content=events(), request=request)


def refuse(request: httpx2.Request) -> httpx2.Response:
    return httpx2.Response(429, text="too many tails", request=request)


async def follow(answer: Callable[[httpx2.Request], httpx2.Response], block: Callable[[], None]) -> None:
    async with (
        httpx2.AsyncClient(base_url="http://api", transport=httpx2.MockTransport(answer)) as http,
        following([TailClient(http, "key", number, "every") for number in range(3)]),
    ):
        block()


def test_a_refused_tail_is_an_error_of_logsieve() -> None:
    with pytest.raises(Internal, match="the API answered 429: too many tails"):
        asyncio.run(follow(refuse, lambda: pytest.fail("no tail is open")))


def test_an_error_beside_open_tails_is_raised_as_it_is() -> None:
    def fail() -> None:
        raise Unavailable("a request was refused")

    with pytest.raises(Unavailable, match="a request was refused"):
        asyncio.run(follow(open_tail, fail))


def test_tails_end_with_the_block() -> None:
    reached: list[bool] = []

    asyncio.run(follow(open_tail, lambda: reached.append(True)))

    assert reached
