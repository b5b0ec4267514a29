"""Tests that a server which accepts connections, and sends no answer, counts as unreachable soon."""

import socket
from concurrent.futures import ThreadPoolExecutor

import pytest

from kit import clickhouse
from kit.clickhouse import connect
from kit.errors import Unavailable
from kit.settings import Settings


def test_a_server_that_hangs_is_unreachable_long_before_a_statement_would_time_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(clickhouse, "ANSWER_SECONDS", 1)
    with socket.create_server(("127.0.0.1", 0)) as hung, ThreadPoolExecutor() as threads:
        url = f"http://127.0.0.1:{hung.getsockname()[1]}"
        refused = threads.submit(connect, Settings(clickhouse_url=url), receive_seconds=60)
        with pytest.raises(Unavailable, match=f"ClickHouse at {url} did not answer in time"):
            refused.result(timeout=30)
