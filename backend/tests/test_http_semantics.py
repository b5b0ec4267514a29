"""Tests of the headers and rules that all answers of the API's port share."""

import asyncio
from collections.abc import AsyncIterator

import httpx2
import pytest
from fastapi import FastAPI
from starlette.responses import JSONResponse, StreamingResponse
from starlette.types import Message

from backend.http_semantics import HttpSemantics
from kit.api_telemetry import MAX_PARAMETERS
from kit.server.compress import CompressJson

LARGE = {"logs": ["the same words again and again"] * 1000}


def app() -> FastAPI:
    app = FastAPI()
    app.add_middleware(CompressJson)
    app.add_middleware(HttpSemantics)

    @app.get("/api/large")
    async def large() -> JSONResponse:
        return JSONResponse(LARGE)

    @app.get("/api/lines")
    async def lines() -> StreamingResponse:
        async def each() -> AsyncIterator[bytes]:
            for _ in range(3):
                yield b'{"a": "' + b"b" * 2000 + b'"}\n'

        return StreamingResponse(each(), media_type="application/x-ndjson")

    return app


def exchange(path: str, method: str = "GET", encodings: str = "identity") -> httpx2.Response:
    async def answer() -> httpx2.Response:
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app()), base_url="http://api") as client:
            return await client.request(method, path, headers={"accept-encoding": encodings})

    return asyncio.run(answer())


def test_answers_are_kept_by_no_cache_and_are_what_they_say_they_are() -> None:
    answer = exchange("/api/large")

    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_json_is_compressed_if_the_client_accepts_it(encoding: str) -> None:
    answer = exchange("/api/large", encodings=encoding)

    assert answer.headers["content-encoding"] == encoding
    assert answer.headers["vary"] == "Accept-Encoding"
    assert int(answer.headers["content-length"]) < len(str(LARGE)) / 10
    assert answer.json() == LARGE


def test_json_is_as_it_is_for_other_clients() -> None:
    answer = exchange("/api/large")

    assert "content-encoding" not in answer.headers
    assert answer.json() == LARGE


def test_streams_of_records_are_not_held_for_compression() -> None:
    assert "content-encoding" not in exchange("/api/lines", encodings="gzip, zstd").headers


def test_head_is_get_without_the_body() -> None:
    whole, head = exchange("/api/large"), exchange("/api/large", "HEAD")

    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == whole.headers["content-length"]


@pytest.mark.parametrize("path", ["/api/large?query=100%", "/api/large?query=%zz", "/api/%ff", "/api/large?query=%ff"])
def test_what_is_no_percent_encoding_is_refused(path: str) -> None:
    """Sends the URL unchanged, which a client library would correct."""
    answered: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        answered.append(message)

    raw, _, query = path.partition("?")
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/api/large",
        "raw_path": raw.encode(),
        "query_string": query.encode(),
        "headers": [],
    }
    asyncio.run(HttpSemantics(app())(scope, receive, send))

    assert answered[0]["status"] == 400
    assert b"invalid_request" in answered[1]["body"]


@pytest.mark.parametrize(("count", "status"), [(1, 200), (MAX_PARAMETERS, 200), (MAX_PARAMETERS + 1, 400)])
def test_a_url_has_few_parameters(count: int, status: int) -> None:
    """Tests that a client without a key cannot occupy the event loop with the parameters of long URLs."""
    answer = exchange("/api/large?" + "&".join("a" * count))

    assert answer.status_code == status
    assert status == 200 or answer.json()["detail"] == "the URL has 201 parameters: give at most 200"
