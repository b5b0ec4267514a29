"""Tests a whole stack whose ClickHouse has a full disk: requests are acknowledged, and loaded when there is room."""

import re
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
REASON = "LOGSIEVE_LOADER_STOP_PERCENT"
LATE = [f"late record {number}" for number in range(20)]


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
    fill(filler, 0.97)
    early: list[str] = []

    def refuses() -> bool:
        early.append(f"early record {len(early)}")
        send(stack, early[-1])
        return REASON in readiness(stack)

    # A loader that looked at its disk just before may still insert for some seconds, so that one record is not enough.
    eventually(refuses, "the loader says why", WAIT_SECONDS)
    for body in LATE:
        send(stack, body)
    tries = retries(stack)
    eventually(lambda: retries(stack) > tries, "the loader tries again", WAIT_SECONDS)
    assert REASON in readiness(stack)
    assert not set(stored(stack)) & set(LATE)
    filler.unlink()

    sent = sorted(early + LATE)
    eventually(lambda: stored(stack) == sent, "every record is stored once", WAIT_SECONDS)
    eventually(lambda: REASON not in readiness(stack), "the loader is ready", WAIT_SECONDS)


def send(stack: Stack, body: str) -> None:
    """Sends one record. Fails the test if the receiver does not acknowledge it."""
    answer = otlp.send(stack.otlp_http_url, stack.keys.ingest_key, otlp.request(otlp.record(body)))
    assert answer.status_code == 200


def loader(stack: Stack, path: str) -> str:
    """Returns what the loader answers at one of its paths."""
    port = stack.settings.port(stack.settings.loader_port)
    return httpx2.get(f"http://127.0.0.1:{port}{path}", timeout=30, verify=trusted()).text


def readiness(stack: Stack) -> str:
    return loader(stack, "/readyz")


def retries(stack: Stack) -> float:
    """Returns how often the loader repeated a step, for whatever reason."""
    return sum(
        float(value)
        for value in re.findall(r"^logsieve_loader_retries_total\S* (\S+)", loader(stack, "/metrics"), re.M)
    )


def stored(stack: Stack) -> list[str]:
    """Returns the bodies of all stored records of this test, as often as they are stored."""
    with connect(stack.settings) as client:
        rows = client.query("SELECT body FROM merge(currentDatabase(), '^logs_[0-9]+$') ORDER BY body").result_rows
    return [str(body) for (body,) in rows if re.fullmatch(r"(early|late) record \d+", str(body))]
