"""Tests that an answer ends when its client stops reading, and frees what it held."""

import asyncio
from collections.abc import AsyncGenerator

import pytest
from starlette.requests import ClientDisconnect
from starlette.types import Message

from backend.answers import paced_response
from backend.answers.budget import AnswerBudget
from backend.answers.paced_response import PacedResponse
from backend.answers.response import AT_ONCE_BYTES, json_response

HTTP = {"type": "http", "method": "GET", "asgi": {"spec_version": "2.4"}}


async def never() -> Message:
    await asyncio.Event().wait()
    raise AssertionError("nothing requests this")


async def unread(message: Message) -> None:
    """Accepts the head of an answer, and never finishes the send of a piece."""
    if message["type"] == "http.response.body":
        await asyncio.Event().wait()


def test_an_answer_nobody_reads_ends_and_leaves_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paced_response, "SEND_SECONDS", 0.01)
    made: list[str] = []

    async def pieces() -> AsyncGenerator[bytes]:
        try:
            for number in range(5):
                made.append(str(number))
                yield b"x"
        finally:
            made.append("place given back")

    async def use() -> None:
        async with asyncio.timeout(60):
            await PacedResponse(pieces())(HTTP, never, unread)

    with pytest.raises(ClientDisconnect):
        asyncio.run(use())
    assert made == ["0", "place given back"]


def test_an_answer_behind_one_that_nobody_reads_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paced_response, "SEND_SECONDS", 0.01)

    async def pieces() -> AsyncGenerator[bytes]:
        yield b"x"

    async def waits(_message: Message) -> None:
        await asyncio.Event().wait()

    async def use() -> None:
        async with asyncio.timeout(60):
            await PacedResponse(pieces())(HTTP, never, waits)

    with pytest.raises(ClientDisconnect):
        asyncio.run(use())


def test_a_large_page_is_counted_until_its_client_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paced_response, "SEND_SECONDS", 0.01)
    size = 2 * AT_ONCE_BYTES
    answers = AnswerBudget(3 * size)

    async def use() -> None:
        response = await json_response([b"x" * size], 1, answers)
        assert answers._left == 2 * size
        async with asyncio.timeout(60):
            with pytest.raises(ClientDisconnect):
                await response(HTTP, never, unread)
        assert answers._left == 3 * size

    asyncio.run(use())
