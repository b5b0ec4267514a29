"""Tests that searches over the only ClickHouse server fail soon when it accepts connections and does not answer."""

import re
import socket

import pytest
from fastapi.testclient import TestClient

from backend.app import create_app
from backend.store.replicas import health
from kit.clock import SystemClock
from kit.settings import Settings


def test_searches_fail_soon(keys: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "PROBE_SECONDS_ALONE", 0.05)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        # The kernel accepts connections, and nothing reads from them.
        listening.listen()
        settings = Settings(clickhouse_url=f"http://127.0.0.1:{listening.getsockname()[1]}")
        with TestClient(create_app(settings, SystemClock()), headers={"authorization": keys["query"]}) as client:
            first, second = (client.get("/api/v1/logs/search", params={"query": "error"}) for _ in range(2))
    assert first.status_code == second.status_code == 503
    # On a busy machine, the probes find out before the first search is sent.
    assert re.search(r"ClickHouse (did|does) not answer\. ", first.json()["detail"])
    assert "ClickHouse does not answer. " in second.json()["detail"]
