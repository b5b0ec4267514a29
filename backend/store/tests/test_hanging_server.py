"""Tests that a search ends when the log store accepts connections and then hangs."""

import asyncio
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pytest

from backend.store import execute
from backend.store.execute import ANSWERS, Executor, ServerUnreachable
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
    monkeypatch.setattr(execute, "LATE_PROBE_SECONDS", 0.1)

    async def search() -> None:
        await Executor(settings).run(ANSWERS)

    started = time.monotonic()
    with pytest.raises(Unavailable, match="did not answer"):
        asyncio.run(search())
    assert time.monotonic() - started < execute.READY_SECONDS


def test_readiness_says_so(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execute, "READY_SECONDS", 0.1)
    assert "did not answer within 0.1 s" in (asyncio.run(Executor(settings).problem()) or "")


class ShortlyUnreachable:
    """Fake of watched replicas whose only server counts as unreachable for a moment, while a statement waits."""

    async def choose(self, _shards: Sequence[int]) -> int:
        return 0

    @contextmanager
    def until_unreachable(
        self, _shards: Sequence[int], _replica: int, when_unreachable: Callable[[], None]
    ) -> Iterator[None]:
        asyncio.get_running_loop().call_soon(when_unreachable)
        yield

    def is_left(self, _shards: Sequence[int], _replica: int) -> bool:
        return False

    async def may_retry(self, _shards: Sequence[int], _replica: int) -> bool:
        return False


def test_a_server_that_answers_again_was_unreachable_and_the_search_was_not_too_expensive(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def answers(*_: object) -> bool:
        return True

    monkeypatch.setattr(Executor, "_probed", answers)
    executor = Executor(settings.model_copy(update={"query_max_seconds": 60.0}))
    monkeypatch.setattr(executor, "_replicas", ShortlyUnreachable())
    with pytest.raises(ServerUnreachable):
        asyncio.run(executor.run(ANSWERS))
