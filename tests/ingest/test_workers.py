"""Tests that several receiver processes share a port, and that one that is killed is replaced."""

import os
import re
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass

import httpx2
import pytest

from kit.settings import Settings
from kit.tls import trusted
from tests import otlp
from tests.eventually import eventually
from tests.forked_module import run_module
from tests.ingest.stored import stored_rows
from tests.running_stack import Stack, borrowed_offset, stack_environment

WORKERS = 2
SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Receiver:
    """A receiver with WORKERS processes, on its own ports, with the stack's control plane and Kafka."""

    process: subprocess.Popen[bytes]
    settings: Settings

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.settings.port(self.settings.otlp_http_port)}/v1/logs"

    def ops(self, worker: int, path: str) -> httpx2.Response | None:
        port = self.settings.port(self.settings.receiver_ops_port) + worker
        try:
            return httpx2.get(f"http://127.0.0.1:{port}{path}", timeout=5, verify=trusted())
        except httpx2.TransportError:
            return None

    def ready(self, worker: int) -> bool:
        answer = self.ops(worker, "/readyz")
        return answer is not None and answer.status_code == 200

    def requests(self, worker: int) -> int:
        answer = self.ops(worker, "/metrics")
        assert answer is not None
        return sum(
            int(float(number))
            for number in re.findall(r"^logsieve_receiver_requests_total{.*} (\S+)", answer.text, re.M)
        )

    def worker_pids(self) -> set[int]:
        answer = subprocess.run(
            ["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True, check=False
        ).stdout
        return {int(pid) for pid in answer.split()}


def environment(stack: Stack, offset: int) -> dict[str, str]:
    """Returns the variables of a receiver with WORKERS processes at this port offset."""
    variables = stack.broker_variables() | {"LOGSIEVE_RECEIVER_WORKERS": str(WORKERS)}
    return stack_environment(stack.home, offset, variables)


@pytest.fixture(scope="module")
def receiver(stack: Stack) -> Iterator[Receiver]:
    with borrowed_offset() as offset:
        process = subprocess.Popen([sys.executable, "-m", "stack", "receiver"], env=environment(stack, offset))
        running = Receiver(process, Settings(port_offset=offset))
        try:
            eventually(
                lambda: all(running.ready(worker) for worker in range(WORKERS)), "the workers are ready", SECONDS
            )
            yield running
        finally:
            process.terminate()
            assert process.wait(30) == 0


def send(receiver: Receiver, stack: Stack, body: str) -> None:
    assert otlp.send(receiver.url, stack.keys.ingest_key, otlp.request(otlp.record(body))).status_code == 200


def test_workers_share_the_port_and_one_that_dies_is_replaced(stack: Stack, receiver: Receiver) -> None:
    marker = uuid.uuid4().hex
    for number in range(40):
        send(receiver, stack, f"{marker} {number}")
    counts = [receiver.requests(worker) for worker in range(WORKERS)]
    assert sum(counts) == 40
    assert all(counts)
    assert httpx2.get(receiver.url.replace("/v1/logs", "/metrics"), timeout=30, verify=trusted()).status_code == 404

    before = receiver.worker_pids()
    os.kill(min(before), signal.SIGKILL)
    eventually(
        lambda: len(receiver.worker_pids()) == WORKERS and receiver.worker_pids() != before,
        "a worker takes its place",
        SECONDS,
    )
    eventually(lambda: all(receiver.ready(worker) for worker in range(WORKERS)), "the workers are ready", SECONDS)
    for number in range(40, 60):
        send(receiver, stack, f"{marker} {number}")
    stored_rows(stack, marker, 60)


def test_the_port_is_not_shared_with_a_second_installation(stack: Stack, receiver: Receiver) -> None:
    second = run_module(("stack", "receiver"), environment(stack, receiver.settings.port_offset), 60)
    assert second.returncode == 1
    assert "cannot listen" in second.stderr
