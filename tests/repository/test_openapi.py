"""Tests that the committed OpenAPI document, from which the web UI's types are made, is the one the backend serves."""

from backend.openapi import document
from kit.folders import PACKAGES


def test_the_committed_document_is_todays() -> None:
    committed = (PACKAGES / "frontend" / "openapi.json").read_text()

    assert committed == document(), (
        "run: python -m backend.openapi frontend/openapi.json && npm --prefix frontend run api"
    )
