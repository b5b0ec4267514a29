"""Tests that answers with texts of any length count until the client has read them."""

import asyncio

import pytest
from pydantic import BaseModel

from backend.answers.paced_response import PacedResponse
from backend.answers.response import (
    AT_ONCE_BYTES,
    INLINE_CHARACTERS,
    VALUE_CHARACTERS,
    is_short_model,
    model_response,
)
from backend.answers.tests.resources import resources_with, writing
from kit.clock import SystemClock
from kit.errors import RateLimited

TENANT = 1
PATIENCE_SECONDS = 30


class Values(BaseModel):
    values: list[str]


LARGE = Values(values=["\x01" * AT_ONCE_BYTES])
"""Its text is six times as long, because JSON writes the character as six."""


async def body(answer: PacedResponse) -> bytes:
    """Returns the bytes that the server sends."""
    sent = list[bytes]()

    async def send(message: dict[str, object]) -> None:
        part = message.get("body", b"")
        assert isinstance(part, bytes)
        sent.append(part)

    await answer.stream_response(send)  # type: ignore[arg-type]  # a part of ASGI's messages
    return b"".join(sent)


def test_a_large_answer_counts_until_it_is_read() -> None:
    async def use() -> None:
        resources = resources_with(16 * AT_ONCE_BYTES, SystemClock())
        first = await model_response(LARGE, TENANT, resources)
        with pytest.raises(RateLimited, match="have not read"):
            await model_response(LARGE, TENANT, resources)
        assert isinstance(first, PacedResponse)
        assert first.headers["content-length"] == str(len(LARGE.model_dump_json()))
        assert Values.model_validate_json(await body(first)) == LARGE
        second = await model_response(LARGE, TENANT, resources)
        assert isinstance(second, PacedResponse)
        await body(second)

    asyncio.run(use())


def test_a_small_answer_is_sent_at_once() -> None:
    async def use() -> bytes:
        response = await model_response(Values(values=["a"]), TENANT, resources_with(1, SystemClock()))
        return bytes(response.body)

    assert asyncio.run(use()) == b'{"values":["a"]}'


def test_an_answer_does_not_wait_without_end_for_earlier_answers_of_its_tenant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backend.answers.response.TURN_SECONDS", 0.01)
    small = Values(values=["a"])

    async def use() -> None:
        resources = resources_with(AT_ONCE_BYTES, SystemClock())
        async with writing(resources, TENANT), asyncio.timeout(PATIENCE_SECONDS):
            with pytest.raises(RateLimited, match=r"not written within 0.01 s, .* busy with other tenants"):
                await model_response(small, TENANT, resources)
            await model_response(small, TENANT + 1, resources)
            assert (await model_response(small, TENANT, resources, is_short=True)).body == b'{"values":["a"]}'
        await model_response(small, TENANT, resources)

    asyncio.run(use())


def test_only_models_with_few_characters_are_short() -> None:
    half = INLINE_CHARACTERS // VALUE_CHARACTERS // 2
    assert is_short_model(half, ["x" * (INLINE_CHARACTERS // 2)])
    assert not is_short_model(half, ["x" * (INLINE_CHARACTERS // 2), "x"])
    assert not is_short_model(2 * half + 1, [])
