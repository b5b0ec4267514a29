"""Tests that a search ends when the log store accepts connections and then hangs."""

import asyncio
import socket
import time
from collections.abc import Iterator

import pytest

from backend.store import execute
from backend.store.execute import ANSWERS, Executor
from kit.errors import Unavailable
from kit.settings import Settings


@pytest.fixture
def settings() -> Iterator[Settings]:
    """Yields a listening socket. The kernel accepts connections to it, and nothing reads from them."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield Settings(clickhouse_url=f"http://127.0.0.1:{listening.getsockname()[1]}", query_max_seconds=0.2)


def test_a_search_fails_when_its_time_is_over(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execute, "LATE_SECONDS", 0.1)
    monkeypatch.setattr(execute, "PROBE_SECONDS", 0.1)

    async def search() -> None:
        await Executor(settings).run(ANSWERS)

    started = time.monotonic()
    with pytest.raises(Unavailable, match="did not answer"):
        asyncio.run(search())
    assert time.monotonic() - started < execute.READY_SECONDS


def test_readiness_says_so(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execute, "READY_SECONDS", 0.1)
    assert "did not answer within 0.1 s" in (asyncio.run(Executor(settings).problem()) or "")
