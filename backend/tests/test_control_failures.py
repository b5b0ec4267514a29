"""Tests that requests do not wait without end for a control plane that accepts connections and never answers."""

import asyncio

import pytest
from fastapi.testclient import TestClient
from structlog.testing import capture_logs

from backend.tenants.keys import KeyService
from backend.views.service import ViewService

SILENT_SECONDS = 10


async def wait_for_the_database(*_: object) -> list[object]:
    await asyncio.sleep(SILENT_SECONDS)
    return []


@pytest.mark.parametrize(("purpose", "path"), [("admin", "admin/tenants/acme/keys"), ("query", "views")])
def test_a_database_that_never_answers_is_unavailable(
    client: TestClient, keys: dict[str, str], monkeypatch: pytest.MonkeyPatch, purpose: str, path: str
) -> None:
    monkeypatch.setattr("backend.control_failures.ANSWER_SECONDS", 0.01)
    monkeypatch.setattr(KeyService, "keys", wait_for_the_database)
    monkeypatch.setattr(ViewService, "views", wait_for_the_database)
    with capture_logs() as lines:
        answer = client.get(f"/api/v1/{path}", headers={"authorization": keys[purpose]})
    assert answer.status_code == 503
    assert "database of tenants and keys did not answer" in answer.json()["detail"]
    assert answer.headers["retry-after"] == "2"
    assert "the database did not answer within 0.01 s" in [each.get("error") for each in lines]
