"""Tests that several API processes share a port, and that one that ends is started again."""

import os
import re
import signal
from pathlib import Path

import httpx2

from kit.tls import trusted
from tests.eventually import eventually
from tests.listeners import served
from tests.running_stack import answers_ok

WORKERS = 2
SECONDS = 60.0
OPS_PORT = 8060
"""Port of the operations routes. The default, 8200, plus an offset would be ClickHouse's port 9000 plus the offset of a
stack whose offset is 800 less."""


def test_a_worker_that_ends_is_started_again(tmp_path: Path) -> None:
    log = tmp_path / "log"

    def started() -> set[int]:
        return {int(pid) for pid in re.findall(r"Started server process \[(\d+)\]", log.read_text())}

    own = {"API_WORKERS": str(WORKERS), "API_OPS_PORT": str(OPS_PORT)}
    with served.api(tmp_path / "home", log, own) as settings:
        ops = [f"http://127.0.0.1:{settings.port(OPS_PORT) + worker}" for worker in range(WORKERS)]

        eventually(lambda: all(answers_ok(f"{each}/metrics") for each in ops), "both workers serve", SECONDS)
        first = started()
        assert len(first) == WORKERS
        os.kill(min(first), signal.SIGKILL)
        eventually(lambda: len(started()) == WORKERS + 1, "another worker starts", SECONDS)
        eventually(lambda: all(answers_ok(f"{each}/metrics") for each in ops), "both workers serve again", SECONDS)

        port = f"http://127.0.0.1:{settings.port(settings.api_port)}"
        assert answers_ok(f"{port}/healthz")
        assert "process_cpu_seconds" not in httpx2.get(f"{port}/metrics", timeout=SECONDS, verify=trusted()).text
    # The parent process ends only after its workers.
    for pid in started():
        assert not Path(f"/proc/{pid}").exists()
