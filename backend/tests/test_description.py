"""Tests that the OpenAPI document is written once, however often it is requested."""

from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from backend import description
from backend.description import PATH, description_route
from kit.server.compress import ENCODINGS, CompressJson


def test_the_document_is_written_once() -> None:
    written = 0

    def document() -> dict[str, Any]:
        nonlocal written
        written += 1
        return {"openapi": "3.1.0"}

    client = TestClient(Starlette(routes=[description_route(document)]))
    for _ in range(3):
        answer = client.get(PATH)
        assert (answer.status_code, answer.json()) == (200, {"openapi": "3.1.0"})
        assert answer.headers["content-type"] == "application/json"
    assert written == 1


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_the_document_is_compressed_once(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    compressed = []

    def compress(text: bytes) -> bytes:
        compressed.append(text)
        return ENCODINGS[encoding](text)

    monkeypatch.setattr(description, "ENCODINGS", {encoding: compress})
    client = TestClient(CompressJson(Starlette(routes=[description_route(lambda: {"openapi": "3.1.0" * 1_000})])))
    for _ in range(3):
        answer = client.get(PATH, headers={"Accept-Encoding": encoding})
        assert answer.json() == {"openapi": "3.1.0" * 1_000}
        assert (answer.headers["content-encoding"], answer.headers["vary"]) == (encoding, "Accept-Encoding")
    assert len(compressed) == 1
    plain = client.get(PATH, headers={"Accept-Encoding": "identity"})
    assert plain.headers["vary"] == "Accept-Encoding"
    assert plain.json() == answer.json()
