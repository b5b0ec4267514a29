"""Tests that the OpenAPI document is written once, however often it is requested."""

from typing import Any

from starlette.applications import Starlette
from starlette.testclient import TestClient

from backend.description import PATH, description_route


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
