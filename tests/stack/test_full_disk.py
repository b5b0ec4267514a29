"""Tests a whole stack whose ClickHouse has a full disk: requests are acknowledged, and loaded when there is room."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from kit.clickhouse import connect
from kit.tls import trusted
from tests import otlp
from tests.eventually import eventually
from tests.ingest.small_volume import fill, mounted, volume_of
from tests.running_stack import Stack, start_stack, stop_stack

WAIT_SECONDS = 90.0
SENT = [f"record {number} in Kafka" for number in range(20)]


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    home = tmp_path / "home"
    with mounted(home):
        try:
            yield start_stack(home, "receiver", "loader", "--no-samples")
        finally:
            stop_stack(home)


def test_a_loader_stops_with_a_reason_and_loads_everything_when_there_is_room(stack: Stack) -> None:
    filler = volume_of(stack.home) / "filler"
    fill(filler, 0.96)
    for body in SENT:
        answer = otlp.send(stack.otlp_http_url, stack.keys.ingest_key, otlp.request(otlp.record(body)))
        assert answer.status_code == 200

    eventually(lambda: "LOGSIEVE_LOADER_STOP_PERCENT" in readiness(stack), "the loader says why", WAIT_SECONDS)
    assert stored(stack) == []
    filler.unlink()

    eventually(lambda: stored(stack) == sorted(SENT), "every record is stored once", WAIT_SECONDS)
    eventually(lambda: "LOGSIEVE_LOADER_STOP_PERCENT" not in readiness(stack), "the loader is ready", WAIT_SECONDS)


def readiness(stack: Stack) -> str:
    """Returns the answer of the loader's /readyz."""
    port = stack.settings.port(stack.settings.loader_port)
    return httpx2.get(f"http://127.0.0.1:{port}/readyz", timeout=30, verify=trusted()).text


def stored(stack: Stack) -> list[str]:
    """Returns the bodies of all stored records, as often as they are stored."""
    with connect(stack.settings) as client:
        rows = client.query("SELECT body FROM merge(currentDatabase(), '^logs_[0-9]+$') ORDER BY body").result_rows
    return [str(body) for (body,) in rows if str(body) in SENT]
